// @ts-check
/** How far the project is: figures, curves, what is proved, and a map of the pool. */
import { get } from "../api.js";
import { html, useEffect, useState } from "../dom.js";
import { LineChart } from "../parts/chart.js";
import { PoolMap } from "../parts/map.js";
import { percent, proofStart, recalls } from "../parts/recall.js";
import { ClassName } from "../parts/row.js";

/**
 * @import { Status, ViewProperties } from "../replies.js"
 * @import { FieldEvent } from "../requests.js"
 */

/** @param {number|null|undefined} seconds */
function time(seconds) {
    if (seconds === null || seconds === undefined) return "–";
    if (seconds < 90) return `${Math.round(seconds * 10) / 10} s`;
    return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** @param {{status: Status, project: string}} properties */
function Proved({ status, project }) {
    const proved = status.guarantee;
    const [target, setTarget] = useState(String(status.target ?? 0.9));
    const [forecast, setForecast] = useState(/** @type {{sentence: string}|null} */ (status.forecast));
    useEffect(() => setForecast(status.forecast), [status.forecast?.labels_left]);
    const ask = (/** @type {Event} */ event) => {
        event.preventDefault();
        get(`/api/projects/${encodeURIComponent(project)}/forecast`, { recall: target }).then(
            setForecast,
            (error) => setForecast({ sentence: error.message }),
        );
    };
    return html`<section class="card" aria-label="What is proved">
        <h2>What is proved</h2>
        ${
            proved
                ? html`<p>
                          At least
                          <strong id="recall-proved">${percent(proved.recall_min)}</strong> of the rare rows
                          (<span id="rare-classes">${proved.rare}</span>) are found, with
                          ${percent(proved.confidence)} confidence.
                      </p>
                      <div class="meter" role="img" aria-label=${`Recall proved: ${percent(proved.recall_min)}`}>
                          <div style=${{ width: `${100 * proved.recall_min}%` }}></div>
                      </div>
                      <details>
                          <summary>What exactly is proved</summary>
                          <p>${proved.sentence}</p>
                      </details>
                      <p class="quiet">
                          ${
                              proved.audits
                                  ? `It rests on ${proved.audits.toLocaleString("en")} random ${proved.audits === 1 ? "row" : "rows"}, drawn from all that nobody had been asked about, ${proved.hits} of them rare`
                                  : "No row that was drawn at random for it has an answer yet"
                          }; the pool has at most ${proved.total_max.toLocaleString("en")} rare rows. This is a
                          proof, not an estimate: it begins near zero and grows with such random rows.
                      </p>
                      ${
                          proved.target === null
                              ? html`<p>
                                    Such rows are asked when a recall to prove is set under
                                    <a href=${`#/${encodeURIComponent(project)}/project`}>Project</a>.
                                </p>`
                              : null
                      }`
                : status.computing
                  ? html`<p>What the labels prove is being computed.</p>`
                  : status.target !== null
                    ? html`<p>Nothing is proved yet: a proof begins when rows of two classes are labelled.</p>`
                    : html`<p>
                          Nothing is proved yet. Set a target under
                          <a href=${`#/${encodeURIComponent(project)}/project`}>Project</a> (“prove a recall”):
                          some questions then are rows drawn at random, and they prove how much has been found.
                      </p>`
        }
        ${status.target !== null && !status.audited ? html`<p>${proofStart(status.goal, status.stop_rule)}</p>` : null}
        <form class="row-of" onSubmit=${ask}>
            <label class="row-of"
                >What would it take to prove
                <select
                    value=${target}
                    onChange=${(/** @type {FieldEvent} */ event) => setTarget(event.target.value)}
                >
                    ${recalls(status.target).map((each) => html`<option key=${each} value=${String(each)}>${percent(each)}</option>`)}
                </select></label
            >
            <button class="small">Estimate</button>
        </form>
        ${forecast?.sentence ? html`<p role="status">${forecast.sentence}</p>` : null}
    </section>`;
}

/** @param {ViewProperties} properties */
export function Progress({ project, role, live, me }) {
    const [status, setStatus] = useState(/** @type {Status|null} */ (null));
    const [problem, setProblem] = useState("");
    const labels = live.progress?.labels ?? 0;
    useEffect(() => {
        const timer = setTimeout(
            () =>
                get(`/api/projects/${encodeURIComponent(project)}/status`).then(
                    (reply) => {
                        setStatus(reply);
                        setProblem("");
                    },
                    (error) => setProblem(error.message),
                ),
            status ? 400 : 0,
        );
        return () => clearTimeout(timer);
    }, [project, live.progressAt]);
    if (!status) return html`<p class="boot">${problem || "…"}</p>`;
    const colours = Object.fromEntries(
        status.classes.map((each) => [each.class, each.colour]),
    );
    const curve = status.curve;
    const people = Object.entries(status.labels_by_annotator);
    return html` ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        <h1>Progress</h1>
        <div class="tiles">
            <div class="card tile">
                <b id="n-labels">${status.labels.toLocaleString("en")}</b
                ><span>of ${status.rows.toLocaleString("en")} rows labelled</span>
            </div>
            <div class="card tile"><b>${status.classes.length}</b><span>classes found</span></div>
            <div class="card tile">
                <b id="proved">${status.computing ? "…" : status.guarantee ? percent(status.guarantee.recall_min) : "–"}</b
                ><span>recall proved${status.computing ? ": being computed" : ""}</span>
            </div>
            <div class="card tile">
                <b>${time(status.time_per_label?.median_seconds)}</b><span>per label, median</span>
            </div>
            ${
                status.guarantee?.target
                    ? html`<div class="card tile">
                          <b>${status.forecast?.labels_left?.toLocaleString("en") ?? "–"}</b
                          ><span>labels until ${percent(status.guarantee.target)} is proved, estimated</span>
                      </div>`
                    : null
            }
        </div>
        <p class=${`message ${status.stop.advised ? "good" : ""}`} role="status">${status.stop.sentence}</p>
        <div class="two">
            <section class="card" aria-label="Classes">
                <h2>Classes</h2>
                <div class="scroll">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">Class</th>
                                <th scope="col" class="number">Labels</th>
                                <th scope="col" class="number">First seen at label</th>
                                <th scope="col" class="minor">First row</th>
                            </tr>
                        </thead>
                        <tbody>
                            ${status.classes.map(
                                (each) =>
                                    html`<tr key=${each.class}>
                                        <td><${ClassName} name=${each.class} colours=${colours} /></td>
                                        <td class="number">${each.labelled}</td>
                                        <td class="number">${each.first_seen_at}</td>
                                        <td class="minor">${each.first_row}</td>
                                    </tr>`,
                            )}
                        </tbody>
                    </table>
                </div>
                ${status.classes.length ? null : html`<p class="quiet">No class yet: label the first row.</p>`}
            </section>
            <${Proved} status=${status} project=${project} />
        </div>
        <div class="two">
            <section class="card" aria-label="Found so far">
                <h2>Found so far</h2>
                <${LineChart}
                    title="Rare rows and classes found, against labels"
                    x="labels"
                    lines=${[
                        {
                            name: "rare rows found",
                            colour: "var(--accent)",
                            points: curve.map((p) => [p.labels, p.rare_found]),
                        },
                        {
                            name: "classes found",
                            colour: "#c2410c",
                            dashed: true,
                            points: curve.map((p) => [p.labels, p.found]),
                        },
                    ]}
                />
            </section>
            <section class="card" aria-label="Learning curve">
                <h2>Learning curve</h2>
                <${LineChart}
                    title="How often the model was right before the answer, over the last 20 labels"
                    x="labels"
                    empty="The curve begins when the model has guessed some twenty answers of two classes."
                    percent
                    top=${1}
                    lines=${[
                        {
                            name: "model right before the answer (last 20)",
                            colour: "var(--accent)",
                            points: curve.map((p) => [p.labels, p.agreement]),
                        },
                    ]}
                />
                <p class="quiet">
                    The questions are hard on purpose, so this is not the accuracy on all rows.
                </p>
            </section>
        </div>
        <div class="two">
            <section class="card" aria-label="Map of the pool">
                <h2>Map of the pool</h2>
                <${PoolMap} project=${project} role=${role} colours=${colours} version=${labels} />
            </section>
            <section class="card" aria-label="People and details">
                <h2>${me.team ? "People" : "Details"}</h2>
                ${
                    people.length > 1 || me.team
                        ? html`<table>
                              <thead>
                                  <tr>
                                      <th scope="col">Person</th>
                                      <th scope="col" class="number">Labels</th>
                                      <th scope="col" class="number">Per label</th>
                                  </tr>
                              </thead>
                              <tbody>
                                  ${people.map(
                                      ([name, n]) =>
                                          html`<tr key=${name}>
                                              <td>${name || "you"}</td>
                                              <td class="number">${n}</td>
                                              <td class="number">
                                                  ${time(status.time_per_label?.by_annotator?.[name])}
                                              </td>
                                          </tr>`,
                                  )}
                              </tbody>
                          </table>`
                        : null
                }
                <ul>
                    ${status.sentences.filter((each) => each !== status.stop.sentence && !status.guarantee?.sentence.includes(each)).map((each, i) => html`<li key=${i}>${each}</li>`)}
                </ul>
                ${status.kept ? html`<p class="quiet">${status.kept}</p>` : null}
            </section>
        </div>`;
}
