// @ts-check
/** A column answers instead of people: what labelling would cost, before spending their time. */
import { get, newKey, post, remove } from "../api.js";
import { html, useEffect, useState } from "../dom.js";
import { LineChart } from "./chart.js";

/**
 * @import { Job } from "../replies.js"
 * @import { FieldEvent, FormEvent } from "../requests.js"
 */

/** @param {{project: string, columns: string[], job: Job|undefined}} properties */
export function Simulation({ project, columns, job }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [mine, setMine] = useState(/** @type {string|null} */ (null));
    const [state, setState] = useState(/** @type {Job|null} */ (null));
    const [problem, setProblem] = useState("");
    const [most, setMost] = useState("200"); // what follows renders the form again
    // One that was begun before this view was left and opened again.
    useEffect(() => {
        get(`${base}/simulations`).then(
            ({ job: last }) => {
                if (!last) return;
                setMine((old) => old ?? last.job);
                setState((old) => old ?? last);
            },
            () => undefined,
        );
    }, [project]);
    useEffect(() => {
        if (!mine) return undefined;
        let ended = false;
        const look = () =>
            get(`${base}/simulations/${mine}`).then(
                (reply) => {
                    if (ended) return;
                    setState(reply);
                    if (reply.state === "running") setTimeout(look, 700);
                },
                (error) => {
                    if (ended) return;
                    setState(null);
                    setProblem(error.message);
                },
            );
        void look();
        return () => {
            ended = true;
        };
    }, [mine]);
    useEffect(() => {
        if (job && job.job === mine) setState(job);
    }, [job]);
    const start = (/** @type {FormEvent<"column">} */ event) => {
        event.preventDefault();
        const { column } = event.target.elements;
        setProblem("");
        setMine(null);
        setState({ job: "", state: "running", progress: 0, message: "", result: null }); // seen at once
        post(`${base}/simulations`, { column: column.value, max_labels: Number(most), key: newKey() }).then(
            (reply) => setMine(reply.job),
            (error) => {
                setState(null);
                setProblem(error.message);
            },
        );
    };
    const running = state?.state === "running";
    const result = state?.result;
    return html`<section class="card" aria-label="Simulation">
        <h2>Simulation</h2>
        <p class="quiet">
            A column of known classes answers, so that you see what to expect. Nothing is stored.
        </p>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        <form class="row-of" onSubmit=${start}>
            <label class="row-of"
                >Column
                <select name="column">
                    ${columns.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
                </select></label
            >
            <label class="row-of"
                >Labels <input
                    type="number"
                    name="most" min="10" max="5000"
                    value=${most}
                    onInput=${(/** @type {FieldEvent} */ event) => setMost(event.target.value)}
            /></label>
            <button class="small" disabled=${!columns.length || running}>${running ? "Simulating …" : "Simulate"}</button>
            ${running && mine ? html`<button type="button" class="small" onClick=${() => remove(`${base}/simulations/${mine}`).catch(() => undefined)}>Stop</button>` : null}
        </form>
        ${running ? html`<div class="meter" role="progressbar" aria-label="Simulation" aria-valuemin="0" aria-valuemax="100" aria-valuenow=${Math.round(100 * state.progress)}><div style=${{ width: `${100 * state.progress}%` }}></div></div>` : null}
        ${state?.state === "failed" ? html`<p class="message bad" role="alert">${state.message}</p>` : null}
        ${
            result
                ? html`<p role="status">${result.sentence}</p>
                      <${LineChart}
                          title="Rare rows and classes found in the simulation"
                          x="labels"
                          lines=${[
                              {
                                  name: "rare rows found",
                                  colour: "var(--accent)",
                                  points: result.curve.map((p) => [
                                      p.labels,
                                      p.rare_found,
                                  ]),
                              },
                              {
                                  name: "classes found",
                                  colour: "#c2410c",
                                  dashed: true,
                                  points: result.curve.map((p) => [p.labels, p.found]),
                              },
                          ]}
                      />
                      <table>
                          <thead>
                              <tr>
                                  <th scope="col">Class</th>
                                  <th scope="col" class="number">Rows</th>
                                  <th scope="col" class="number">Found at label</th>
                                  <th scope="col" class="number">At random, expected</th>
                              </tr>
                          </thead>
                          <tbody>
                              ${result.classes.map(
                                  (each) =>
                                      html`<tr key=${each.class}>
                                          <td>${each.class}${each.rare ? html` <span class="chip">rare</span>` : null}</td>
                                          <td class="number">${each.rows.toLocaleString("en")}</td>
                                          <td class="number">${each.first_seen_at?.toLocaleString("en") ?? "not found"}</td>
                                          <td class="number">
                                              ${Math.round(each.at_random).toLocaleString("en")}
                                          </td>
                                      </tr>`,
                              )}
                          </tbody>
                      </table>`
                : null
        }
    </section>`;
}
