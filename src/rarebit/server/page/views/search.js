// @ts-check
/** Search the pool by words and conditions, and label what is found there. */
import { get, newKey, post } from "../api.js";
import { html, useEffect, useRef, useState } from "../dom.js";
import { Dialog } from "../parts/dialog.js";
import { LabelIt } from "../parts/labelit.js";
import { ClassName, RowContent } from "../parts/row.js";

/**
 * @import { ClassSetting, Column, Condition, RowReply, SearchReply, ViewProperties } from "../replies.js"
 * @import { FieldEvent } from "../requests.js"
 */

const OPERATORS = ["=", "!=", "<", "<=", ">", ">=", "contains", "missing", "present"];
const PAGE = 50;

/** @param {{columns: Column[], where: Condition[], onChange: (where: Condition[]) => void}} properties */
function Conditions({ columns, where, onChange }) {
    const set = (/** @type {number} */ i, /** @type {Partial<Condition>} */ change) =>
        onChange(where.map((each, j) => (i === j ? { ...each, ...change } : each)));
    if (!columns.length) return null;
    return html`<div class="conditions">
        ${where.map(
            (each, i) =>
                html`<div class="row-of" key=${i}>
                    <select
                        aria-label="Column"
                        value=${each.column}
                        onChange=${(/** @type {FieldEvent} */ event) => set(i, { column: event.target.value })}
                    >
                        ${columns.map((column) => html`<option key=${column.name} value=${column.name}>${column.name}</option>`)}
                    </select>
                    <select
                        aria-label="Condition"
                        value=${each.op}
                        onChange=${(/** @type {FieldEvent} */ event) => set(i, { op: event.target.value })}
                    >
                        ${OPERATORS.map((op) => html`<option key=${op} value=${op}>${op}</option>`)}
                    </select>
                    ${["missing", "present"].includes(each.op) ? null : html`<input aria-label="Value" value=${each.value} onInput=${(/** @type {FieldEvent} */ event) => set(i, { value: event.target.value })} />`}
                    <button
                        type="button"
                        class="small"
                        onClick=${() => onChange(where.filter((_, j) => j !== i))}
                    >
                        Remove
                    </button>
                </div>`,
        )}
        <div>
            <button
                type="button"
                class="small"
                onClick=${() => onChange([...where, { column: columns[0].name, op: "=", value: "" }])}
            >
                Add a condition
            </button>
        </div>
    </div>`;
}

/** Values go out as they were typed: the server knows how each column is written. @param {Condition[]} where */
const asSent = (where) =>
    where.map(({ column, op, value }) => (["missing", "present"].includes(op) ? { column, op } : { column, op, value }));

/** @param {ViewProperties} properties */
export function Search({ project, role, live }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [words, setWords] = useState("");
    const [where, setWhere] = useState(/** @type {Condition[]} */ ([]));
    const [labelled, setLabelled] = useState("any");
    const [sort, setSort] = useState("match");
    const [offset, setOffset] = useState(0);
    const [columns, setColumns] = useState(/** @type {Column[]} */ ([]));
    const [classes, setClasses] = useState(/** @type {ClassSetting[]} */ ([]));
    const [found, setFound] = useState(/** @type {SearchReply|null} */ (null));
    const [shown, setShown] = useState(/** @type {RowReply|null} */ (null));
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    useEffect(() => {
        get(`${base}/settings`).then(
            (reply) => {
                setClasses(reply.classes);
                setColumns(reply.columns);
            },
            () => undefined,
        );
    }, [project, live.progress?.classes?.length]);
    const latest = useRef(0); // a reply to an earlier search may come later
    const search = (from = 0) => {
        setOffset(from);
        const number = (latest.current += 1);
        post(`${base}/searches`, {
            words,
            where: asSent(where),
            labelled,
            class: null,
            sort,
            offset: from,
            limit: PAGE,
        }).then(
            (reply) => {
                if (number !== latest.current) return;
                setFound(reply);
                if (reply.columns.length) setColumns(reply.columns);
                setProblem("");
            },
            (error) => {
                if (number !== latest.current) return;
                setProblem(error.message);
                setFound(null); // it answered other conditions
            },
        );
    };
    useEffect(() => search(0), [project, sort, labelled]);
    const saved = (/** @type {string} */ what) => {
        setSaid(what);
        setShown(null);
        search(offset);
    };
    const like = () =>
        post(`${base}/like`, { words, n: 20, key: newKey() }).then(
            (reply) => setSaid(`The ${reply.queued} rows that match best are asked next.`),
            (error) => setProblem(error.message),
        );
    const colours = Object.fromEntries(classes.map((each) => [each.name, each.colour]));
    const canLabel = role !== "viewer";
    return html` <h1>Search the pool</h1>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <div class="card">
            <form
                onSubmit=${(/** @type {Event} */ event) => {
                    event.preventDefault();
                    search(0);
                }}
            >
                <div class="filters">
                    <label
                        >Words
                        <input
                            type="search"
                            value=${words}
                            onInput=${(/** @type {FieldEvent} */ event) => setWords(event.target.value)}
                    /></label>
                    <label
                        >Labelled
                        <select
                            value=${labelled}
                            onChange=${(/** @type {FieldEvent} */ event) => setLabelled(event.target.value)}
                        >
                            <option value="any">any</option>
                            <option value="no">not yet</option>
                            <option value="yes">yes</option>
                        </select></label
                    >
                    <label
                        >Order
                        <select
                            value=${sort}
                            onChange=${(/** @type {FieldEvent} */ event) => setSort(event.target.value)}
                        >
                            <option value="match">best match</option>
                            <option value="score">most likely rare</option>
                            <option value="row">as in the file</option>
                        </select></label
                    >
                    <button class="main">Search</button>
                    ${canLabel && words.trim() ? html`<button type="button" onClick=${like}>Ask for rows like this</button>` : null}
                </div>
                <${Conditions} columns=${columns} where=${where} onChange=${setWhere} />
            </form>
            ${
                found
                    ? html`<p class="quiet" role="status">
                              ${found.total.toLocaleString("en")} ${found.total === 1 ? "row" : "rows"}
                          </p>
                          <div class="scroll">
                              <table>
                                  <thead>
                                      <tr>
                                          <th scope="col">Row</th>
                                          <th scope="col">Content</th>
                                          <th scope="col" class="minor">Label</th>
                                          <th scope="col" class="number minor">Score: high is rare</th>
                                          <th scope="col"><span class="unseen">Open</span></th>
                                      </tr>
                                  </thead>
                                  <tbody>
                                      ${found.rows.map(
                                          (each) =>
                                              html`<tr key=${each.row}>
                                                  <td class="name">
                                                      ${each.id}
                                                      ${each.label === null ? null : html`<div class="phone row-label"><${ClassName} name=${String(each.label)} colours=${colours} /></div>`}
                                                  </td>
                                                  <td class="content">
                                                      ${each.images?.[0] ? html`<img class="thumb" loading="lazy" src=${`${each.images[0].url}?size=64`} alt="" /> ` : null}
                                                      <div class="summary">${each.summary}</div>
                                                  </td>
                                                  <td class="minor">
                                                      ${each.label === null ? "–" : html`<${ClassName} name=${String(each.label)} colours=${colours} />`}
                                                  </td>
                                                  <td class="number minor">
                                                      ${each.score === null || each.score === undefined ? "–" : each.score.toFixed(2)}
                                                  </td>
                                                  <td class="act">
                                                      <button
                                                          class="small"
                                                          onClick=${() => {
                                                              setSaid("");
                                                              get(`${base}/rows/${each.row}`).then(
                                                                  setShown,
                                                                  (error) => setProblem(error.message),
                                                              );
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
                                  disabled=${!offset}
                                  onClick=${() => search(Math.max(0, offset - PAGE))}
                              >
                                  Earlier page</button
                              ><button
                                  class="small"
                                  disabled=${offset + PAGE >= found.total}
                                  onClick=${() => search(offset + PAGE)}
                              >
                                  Later page
                              </button>
                          </div>`
                    : null
            }
        </div>
        ${
            shown
                ? html`<${Dialog} title=${`Row ${shown.row.id}`} onClose=${() => setShown(null)}>
                      <${RowContent} row=${shown.row} />
                      ${canLabel ? html`<${LabelIt} project=${project} row=${shown.row} onSaved=${saved} onProblem=${setProblem} />` : null}
                  <//>`
                : null
        }`;
}
