// @ts-check
/** All answers: filter, doubt, correct in place, history of each row. */
import { get, newKey, post } from "../api.js";
import { count, html, useEffect, useState } from "../dom.js";
import { Dialog } from "../parts/dialog.js";
import { ClassChoice } from "../parts/labelit.js";
import { ClassName, RowContent } from "../parts/row.js";
import { Why } from "../parts/why.js";

/**
 * @import { AnswerList, ClassSetting, Row, StandingAnswer, StoredEvent, ViewProperties } from "../replies.js"
 * @import { FieldEvent } from "../requests.js"
 */

/** How many answers of a kind there are. @param {number} n @param {string} kind */
function counted(n, kind) {
    const word = { label: "label", skip: "skip" }[kind] ?? "answer";
    return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}${kind ? "" : ", skips included"}.`;
}

/** Why a row was asked, as it is stored, and what that means. @type {Record<string, string>} */
const REASONS = {
    border: "the model is least sure",
    harvest: "looked rare to the model",
    explore: "unlike what was seen",
    audit: "drawn at random for the proof",
    random: "drawn at random while the model learned",
    start: "known at the start",
    "random-start": "drawn for the start",
    given: "searched or imported, not asked",
};
/** The same in a table. @type {Record<string, string>} */
const SHORT = {
    border: "unsure",
    harvest: "looked rare",
    explore: "unlike others",
    audit: "random, for the proof",
    random: "random",
    start: "known at the start",
    "random-start": "random, for the start",
    given: "not asked",
};
/** What happened to a row, as it is stored, and how people say it. @type {Record<string, string>} */
const EVENTS = {
    label: "labelled",
    skip: "skipped",
    correction: "corrected to",
    undo: "taken back",
    note: "note",
};
const PAGE = 50;

/** @param {string} at ISO time */
const when = (at) => new Date(at).toLocaleString();

/** What somebody said of a row. @param {{answer: StandingAnswer, colours: Record<string, string>}} properties */
function Given({ answer, colours }) {
    return answer.what === "skip"
        ? html`<span class="quiet">skipped</span>`
        : html`<${ClassName} name=${String(answer.label)} colours=${colours} />`;
}

/** @param {{project: string, answer: StandingAnswer, classes: ClassSetting[], colours: Record<string, string>, canCorrect: boolean, onClose: () => void, onCorrected: (text: string) => void}} properties */
function AnswerDialog({ project, answer, classes, colours, canCorrect, onClose, onCorrected }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [row, setRow] = useState(/** @type {Row|null} */ (null));
    const [events, setEvents] = useState(/** @type {StoredEvent[]} */ ([]));
    const [label, setLabel] = useState("");
    const [problem, setProblem] = useState("");
    useEffect(() => {
        get(`${base}/rows/${answer.row}`).then(
            (reply) => setRow(reply.row),
            (error) => setProblem(error.message),
        );
        get(`${base}/rows/${answer.row}/history`).then(
            (reply) => setEvents(reply.events),
            () => undefined,
        );
    }, [answer.row]);
    const correct = (/** @type {string} */ name) =>
        post(`${base}/corrections`, { row: answer.row, label: name, key: newKey() }).then(
            () => onCorrected(`${answer.id} is now ${name}. The model learns it.`),
            (error) => setProblem(error.message),
        );
    return html`<${Dialog} title=${`Row ${answer.id}`} onClose=${onClose}>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${row ? html`<${RowContent} row=${row} />` : html`<p class="quiet">…</p>`}
        ${
            canCorrect
                ? html`<p>
                      ${answer.label === null ? "It was skipped." : html`Its label is <${ClassName} name=${String(answer.label)} colours=${colours} />.`}
                  </p>
                  <h3>Correct to</h3>
                  <${ClassChoice} classes=${classes} without=${answer.label} onChoose=${correct} />
                  <form
                      class="row-of"
                      onSubmit=${(/** @type {Event} */ event) => {
                          event.preventDefault();
                          void correct(label.trim());
                      }}
                  >
                      <label class="row-of"
                          >New class
                          <input
                              class="later"
                              maxlength="200"
                              value=${label}
                              onInput=${(/** @type {FieldEvent} */ event) => setLabel(event.target.value)}
                      /></label>
                      <button class="main" disabled=${!label.trim() || label.trim() === answer.label}>
                          Save correction
                      </button>
                  </form>`
                : null
        }
        <h3>History</h3>
        <ol class="history">
            ${events.map((each) => html`<li key=${each.number}>${EVENTS[each.what] ?? each.what}${each.label !== null ? html` <${ClassName} name=${String(each.label)} colours=${colours} />` : ""} <span class="quiet">${each.annotator || "you"}, ${when(each.at)}${each.note ? `: ${each.note}` : ""}</span></li>`)}
        </ol>
        <details>
            <summary>Why was it asked?</summary>
            <${Why} project=${project} row=${answer.row} />
        </details>
    <//>`;
}

/** @param {ViewProperties} properties */
export function Answers({ project, role, live, me }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [filter, setFilter] = useState({
        class: "",
        annotator: "",
        reason: "",
        since: "",
        until: "",
        what: "",
        words: "",
        sort: "newest",
        disagrees: false,
        offset: 0,
    });
    const [found, setFound] = useState(/** @type {AnswerList|null} */ (null));
    const [classes, setClasses] = useState(/** @type {ClassSetting[]} */ ([]));
    const [chosen, setChosen] = useState(/** @type {StandingAnswer|null} */ (null));
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    useEffect(() => {
        get(`${base}/settings`).then(
            (reply) => setClasses(reply.classes),
            () => undefined,
        );
    }, [project, live.progress?.classes?.length]);
    useEffect(() => {
        const day = (/** @type {string} */ text, /** @type {string} */ time) =>
            text ? new Date(`${text}T${time}`).toISOString() : "";
        const query = {
            ...filter,
            since: day(filter.since, "00:00:00"),
            until: day(filter.until, "23:59:59"),
            disagrees: filter.disagrees || "",
            limit: PAGE,
        };
        const timer = setTimeout(
            () =>
                get(`${base}/answers`, query).then(
                    (reply) => {
                        setFound(reply);
                        setProblem("");
                    },
                    (error) => setProblem(error.message),
                ),
            150,
        );
        return () => clearTimeout(timer);
    }, [project, JSON.stringify(filter), live.progress?.labels, said]);
    const set = (/** @type {string} */ name) => (/** @type {FieldEvent} */ event) =>
        setFilter({
            ...filter,
            offset: 0,
            [name]: event.target.type === "checkbox" ? event.target.checked : event.target.value,
        });
    const colours = Object.fromEntries(classes.map((each) => [each.name, each.colour]));
    const people = found?.annotators ?? [];
    return html` <h1>Answers</h1>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <div class="card">
            <div class="filters" role="search" aria-label="Filter the answers">
                <label
                    >Class
                    <select value=${filter.class} onChange=${set("class")}>
                        <option value="">all</option>
                        ${classes.map((each) => html`<option key=${each.name} value=${each.name}>${each.name}</option>`)}
                    </select></label
                >
                ${
                    me.team
                        ? html`<label
                              >Person
                              <select value=${filter.annotator} onChange=${set("annotator")}>
                                  <option value="">all</option>
                                  ${people.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
                              </select></label
                          >`
                        : null
                }
                <label
                    >Asked because
                    <select value=${filter.reason} onChange=${set("reason")}>
                        <option value="">any reason</option>
                        ${Object.entries(REASONS).map(([name, means]) => html`<option key=${name} value=${name}>${`${name}: ${means}`}</option>`)}
                    </select></label
                >
                <label
                    >Kind
                    <select value=${filter.what} onChange=${set("what")}>
                        <option value="">all</option>
                        <option value="label">labels</option>
                        <option value="skip">skips</option>
                    </select></label
                >
                <label>From <input type="date" value=${filter.since} onChange=${set("since")} /></label>
                <label>To <input type="date" value=${filter.until} onChange=${set("until")} /></label>
                <label>Words <input value=${filter.words} onInput=${set("words")} /></label>
                <label
                    >Order
                    <select value=${filter.sort} onChange=${set("sort")}>
                        <option value="newest">newest first</option>
                        <option value="oldest">oldest first</option>
                        <option value="doubt">likely wrong first</option>
                    </select></label
                >
                <label class="row-of"
                    ><input type="checkbox" checked=${filter.disagrees} onChange=${set("disagrees")} /> The
                    model disagrees</label
                >
            </div>
            ${
                found
                    ? html`<p class="quiet" role="status">
                              ${counted(found.total, filter.what)}${role === "viewer" || !found.total ? "" : " Open one to correct it."}
                              ${found.hidden ? `${count(found.hidden, "answer")} of others ${found.hidden === 1 ? "is" : "are"} not listed for you yet: a second person, perhaps you, answers these rows blind.` : ""}
                          </p>
                          <div class="scroll">
                              <table>
                                  <thead>
                                      <tr>
                                          <th scope="col">Row</th>
                                          <th scope="col" class="minor">Label</th>
                                          <th scope="col" class="minor">Model</th>
                                          <th scope="col" class="minor">Asked because</th>
                                          ${me.team ? html`<th scope="col" class="minor">Person</th>` : null}
                                          <th scope="col" class="minor">When</th>
                                          <th scope="col">Content</th>
                                          <th scope="col"><span class="unseen">Open</span></th>
                                      </tr>
                                  </thead>
                                  <tbody>
                                      ${found.answers.map(
                                          (each) =>
                                              html`<tr
                                                  key=${each.number}
                                                  class=${each.model && each.label !== null && each.model !== each.label ? "doubtful" : ""}
                                              >
                                                  <td class="name">
                                                      ${each.id}
                                                      <div class="phone row-label"><${Given} answer=${each} colours=${colours} /></div>
                                                  </td>
                                                  <td class="minor"><${Given} answer=${each} colours=${colours} /></td>
                                                  <td class="minor">${each.model ?? "–"}</td>
                                                  <td class="minor" title=${`${each.reason}: ${REASONS[each.reason] ?? ""}`}>${SHORT[each.reason] ?? each.reason}</td>
                                                  ${me.team ? html`<td class="minor">${each.annotator}</td>` : null}
                                                  <td class="minor">${when(each.at)}</td>
                                                  <td class="content">
                                                      ${each.images?.[0] ? html`<img class="thumb" loading="lazy" src=${`${each.images[0].url}?size=64`} alt="" /> ` : null}
                                                      <div class="summary">${each.summary}</div>
                                                      ${each.note ? html`<em>${each.note}</em>` : null}
                                                  </td>
                                                  <td class="act">
                                                      <button
                                                          class="small"
                                                          onClick=${() => {
                                                              setSaid("");
                                                              setChosen(each);
                                                          }}
                                                      >
                                                          Open<span class="unseen"> row ${each.id}</span>
                                                      </button>
                                                  </td>
                                              </tr>`,
                                      )}
                                  </tbody>
                              </table>
                          </div>
                          <div class="pager">
                              <button
                                  class="small"
                                  disabled=${!filter.offset}
                                  onClick=${() => setFilter({ ...filter, offset: Math.max(0, filter.offset - PAGE) })}
                              >
                                  Earlier page</button
                              ><span class="quiet"
                                  >${found.total ? `${filter.offset + 1}–${Math.min(filter.offset + PAGE, found.total)}` : ""}</span
                              ><button
                                  class="small"
                                  disabled=${filter.offset + PAGE >= found.total}
                                  onClick=${() => setFilter({ ...filter, offset: filter.offset + PAGE })}
                              >
                                  Later page
                              </button>
                          </div>`
                    : html`<p class="quiet">…</p>`
            }
        </div>
        ${
            chosen
                ? html`<${AnswerDialog}
                      key=${chosen.number}
                      project=${project}
                      answer=${chosen}
                      classes=${classes}
                      colours=${colours}
                      canCorrect=${role === "owner" || (role === "annotator" && chosen.annotator === me.name)}
                      onClose=${() => setChosen(null)}
                      onCorrected=${(/** @type {string} */ text) => {
                          setChosen(null);
                          setSaid(text);
                      }}
                  />`
                : null
        }`;
}
