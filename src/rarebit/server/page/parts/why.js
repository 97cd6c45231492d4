// @ts-check
/** Why a row was asked: shown after the answer only, so that it cannot sway it. */
import { get } from "../api.js";
import { html, useEffect, useState } from "../dom.js";

/** What the model's opinion was beside the answer; a skip neither agrees nor contradicts. */
const AGREES = new Map([
    [true, ", as you did."],
    [false, ": you taught it something."],
    [null, "."],
]);

/** @param {{project: string, row: number, version?: number}} properties */
export function Why({ project, row, version }) {
    const [why, setWhy] = useState(/** @type {import("../replies.js").Why|null} */ (null));
    const [problem, setProblem] = useState("");
    useEffect(() => {
        if (why?.learned && why.opinion) return;
        get(`/api/projects/${encodeURIComponent(project)}/rows/${row}/why`).then(
            (reply) => {
                setWhy(reply);
                setProblem("");
            },
            (error) => setProblem(error.message),
        );
    }, [row, version]);
    if (problem) return html`<p class="quiet">${problem}</p>`;
    if (!why) return html`<p class="quiet">…</p>`;
    const most = Math.max(1e-12, ...why.pushes.map((each) => Math.abs(each.weight)));
    return html` <p>${why.sentence}</p>
        ${why.opinion ? html`<p>The model would have said <strong>${why.opinion.class}</strong>${AGREES.get(why.opinion.agrees)}</p>` : null}
        ${
            why.pushes.length
                ? html`<h3>What speaks for each class</h3>
                      <ul class="pushes">
                          ${why.pushes.map(
                              (each, i) =>
                                  html`<li key=${i}>
                                      <span>${each.said} → <strong>${each.class}</strong></span
                                      ><span
                                          class="bar"
                                          style=${{ width: `${Math.max(4, (90 * Math.abs(each.weight)) / most)}px` }}
                                      ></span>
                                  </li>`,
                          )}
                      </ul>
                      ${why.balance ? html`<p class="quiet">${why.balance}</p>` : null}`
                : null
        }
        ${
            why.neighbours.length
                ? html`<h3>Nearest labelled rows</h3>
                      <ul class="neighbours">
                          ${why.neighbours.map((each) => html`<li key=${each.row}>${each.images?.[0] ? html`<img class="thumb" src=${`${each.images[0].url}?size=64`} alt="" /> ` : null}<strong>${each.label}</strong> <span>${each.id}</span> <span class="quiet">${each.summary}</span></li>`)}
                      </ul>`
                : null
        }
        ${why.learned ? null : html`<p class="quiet">The model is still learning this answer.</p>`}`;
}
