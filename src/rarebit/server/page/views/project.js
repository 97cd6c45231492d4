// @ts-check
/** The project as its owner sets it up: guidelines, classes, goal, data in and out, simulation. */
import { get, put } from "../api.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../dom.js";
import { DataIn, Exports } from "../parts/transfer.js";
import { percent, proofStart, recalls } from "../parts/recall.js";
import { Said } from "../parts/said.js";
import { Simulation } from "../parts/simulation.js";

/**
 * @import { ClassSetting, SettingsReply, ViewProperties } from "../replies.js"
 * @import { FieldEvent } from "../requests.js"
 */

const GOALS = {
    both: "Find the rare rows and learn the class (default)",
    learn: "Learn a good classifier",
    find: "Find as many rare rows as possible",
};
const WAYS = {
    "": "Every class but the usual one, which is found out (default)",
    rare: "Those ticked here are rare",
    normal: "All but those ticked here are rare",
};
const STOPS = {
    auto: "When further labels would change little (default)",
    support: "When hardly any new row shapes the border (support vectors are stable)",
    margin: "When every row left is clearly on one side of the border (outside the margin)",
    never: "Never: until every row is labelled",
};
const RULES = {
    first: "The first answer counts",
    majority: "The majority counts",
    owner: "The owner decides",
};

/** @param {{classes: ClassSetting[], onChange: (classes: ClassSetting[]) => void}} properties */
function ClassEditor({ classes, onChange }) {
    const set = (/** @type {number} */ i, /** @type {Partial<ClassSetting>} */ change) =>
        onChange(classes.map((each, j) => (i === j ? { ...each, ...change } : each)));
    const place = useRef(/** @type {HTMLDivElement|null} */ (null));
    const added = useRef(false);
    // Before the next key, which belongs to the name.
    useLayoutEffect(() => {
        const fields = place.current?.querySelectorAll("input[aria-label='Class name']");
        const last = fields?.[fields.length - 1];
        if (added.current && last instanceof HTMLElement) last.focus();
        added.current = false;
    }, [classes.length]);
    return html`<div class="class-rows" ref=${place}>
        ${classes.map(
            (each, i) =>
                html`<div key=${i}>
                    <input
                        type="color"
                        aria-label=${`Colour of ${each.name}`}
                        value=${each.colour || "#64748b"}
                        onInput=${(/** @type {FieldEvent} */ event) => set(i, { colour: event.target.value })}
                    />
                    <input
                        aria-label="Class name"
                        maxlength="200"
                        value=${each.name}
                        onInput=${(/** @type {FieldEvent} */ event) => set(i, { name: event.target.value })}
                    />
                    <input
                        aria-label=${`Key of ${each.name}`}
                        maxlength="1"
                        value=${each.key}
                        onInput=${(/** @type {FieldEvent} */ event) => set(i, { key: event.target.value })}
                    />
                    <button
                        type="button"
                        class="small"
                        onClick=${() => onChange(classes.filter((_, j) => j !== i))}
                    >
                        Remove<span class="unseen"> ${each.name}</span>
                    </button>
                </div>`,
        )}
        <div>
            <span></span
            ><button
                type="button"
                class="small"
                onClick=${() => {
                    added.current = true;
                    onChange([...classes, { name: "", colour: "", key: "" }]);
                }}
            >
                Add a class
            </button>
        </div>
    </div>`;
}

/** @param {{draft: SettingsReply, onChange: (change: Partial<SettingsReply>) => void}} properties */
function RareEditor({ draft, onChange }) {
    const named = draft.normal.length ? "normal" : "rare";
    const [way, setWay] = useState(draft.rare.length || draft.normal.length ? named : "");
    const chosen = way === "normal" ? draft.normal : draft.rare;
    const write = (/** @type {string} */ to, /** @type {string[]} */ names) =>
        onChange({ rare: to === "rare" ? names : [], normal: to === "normal" ? names : [] });
    const names = [
        ...new Set([...draft.classes.map((each) => each.name.trim()).filter(Boolean), ...chosen]),
    ];
    return html`<label class="field"
            >Rare classes
            <small
                >What is found, ranked and proved. Name them before the first question where you can: a proof
                is about classes that were fixed beforehand.</small
            ><select
                id="rare-way"
                value=${way}
                onChange=${(/** @type {FieldEvent} */ event) => {
                    setWay(event.target.value);
                    write(event.target.value, []);
                }}
            >
                ${Object.entries(WAYS).map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}
            </select></label
        >
        ${!way && draft.rare_sentence ? html`<p class="quiet" id="rare-now">${draft.rare_sentence}</p>` : null}
        ${
            way
                ? html`<div role="group" aria-label=${WAYS[/** @type {keyof typeof WAYS} */ (way)]}>
                      ${names.map(
                          (name) =>
                              html`<label class="check" key=${name}
                                  ><input
                                      type="checkbox"
                                      checked=${chosen.includes(name)}
                                      onChange=${(/** @type {FieldEvent} */ event) => write(way, event.target.checked ? [...chosen, name] : chosen.filter((each) => each !== name))}
                                  /><span>${name}</span></label
                              >`,
                      )}
                      ${names.length ? null : html`<p class="quiet">No class yet: add it above.</p>`}
                  </div>`
                : null
        }`;
}

/**
 * Edits that are not saved stay; classes that were met meanwhile, and what counts as rare, come along.
 *
 * @param {SettingsReply} draft @param {SettingsReply} before @param {SettingsReply} reply
 */
function renewed(draft, before, reply) {
    const known = new Set([...draft.classes, ...before.classes].map((each) => each.name));
    const { rare_sentence, columns, targets, has_row_file } = reply;
    const classes = [...draft.classes, ...reply.classes.filter((each) => !known.has(each.name))];
    return { ...draft, rare_sentence, columns, targets, has_row_file, classes };
}

/** @param {ViewProperties} properties */
export function ProjectSettings({ project, role, live, me }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [stored, setStored] = useState(/** @type {SettingsReply|null} */ (null));
    const [draft, setDraft] = useState(/** @type {SettingsReply|null} */ (null));
    const known = useRef(/** @type {SettingsReply|null} */ (null));
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    const load = () =>
        get(`${base}/settings`).then(
            (reply) => {
                const before = known.current;
                known.current = reply;
                setStored(reply);
                setDraft((old) => (old && before ? renewed(old, before, reply) : reply));
            },
            (error) => setProblem(error.message),
        );
    useEffect(() => {
        void load();
    }, [project, live.settings?.version, live.progress?.classes?.length, live.learner?.state]);
    if (!draft || !stored) return html`<p class="boot">${problem || "…"}</p>`;
    const owner = role === "owner";
    const set = (/** @type {Partial<SettingsReply>} */ change) => {
        setSaid("");
        setDraft({ ...draft, ...change });
    };
    const save = (/** @type {Event} */ event) => {
        event.preventDefault();
        const classes = draft.classes
            .filter((each) => each.name.trim())
            .map((each) => ({
                name: each.name.trim(),
                colour: each.colour || null,
                key: each.key || null,
            }));
        put(`${base}/settings`, {
            version: stored.version,
            guidelines: draft.guidelines,
            classes,
            rare: draft.rare,
            normal: draft.normal,
            goal: draft.goal,
            target: draft.target,
            stop: draft.stop,
            overlap: draft.overlap,
            rule: draft.rule,
            opinion: draft.opinion,
            max_labels: draft.max_labels,
        }).then(
            (reply) => {
                known.current = reply;
                setStored(reply);
                setDraft(reply);
                setSaid("Saved.");
                setProblem("");
            },
            (error) => {
                setSaid("");
                setProblem(
                    error.status === 409
                        ? `${error.message} Reload the page to see the newer settings.`
                        : error.message,
                );
            },
        );
    };
    return html` <h1>Project</h1>
        <div class="two">
            <form class="card" onSubmit=${save}>
                <h2>Settings</h2>
                ${owner ? null : html`<p class="message">Only the owner changes these.</p>`}
                <fieldset disabled=${!owner} class="bare">
                    <label class="field"
                        >Guidelines <small>Shown beside every question.</small
                        ><textarea
                            maxlength="50000"
                            value=${draft.guidelines}
                            onInput=${(/** @type {FieldEvent} */ event) => set({ guidelines: event.target.value })}
                        ></textarea>
                    </label>
                    <h3>Classes, colours and keys</h3>
                    <${ClassEditor}
                        classes=${draft.classes}
                        onChange=${(/** @type {ClassSetting[]} */ classes) => set({ classes })}
                    />
                    <${RareEditor} draft=${draft} onChange=${set} />
                    <label class="field"
                        >Goal
                        <select
                            value=${draft.goal}
                            onChange=${(/** @type {FieldEvent} */ event) => set({ goal: event.target.value })}
                        >
                            ${Object.entries(GOALS).map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}
                        </select></label
                    >
                    <label class="field"
                        >Prove a recall
                        <small
                            >Some questions are then rows drawn at random, which prove how much has been
                            found. ${draft.target === null ? "" : proofStart(draft.goal, draft.stop)}</small
                        ><select
                            value=${draft.target === null ? "" : String(draft.target)}
                            onChange=${(/** @type {FieldEvent} */ event) => set({ target: event.target.value ? Number(event.target.value) : null })}
                        >
                            <option value="">no</option>
                            ${recalls(stored.target).map((each) => html`<option key=${each} value=${String(each)}>${percent(each)}</option>`)}
                        </select></label
                    >
                    <label class="field"
                        >Stop asking
                        <small
                            >${draft.target === null ? "More rows can be asked for at any time." : "With a recall to prove, asking ends when it is proved."}</small
                        ><select
                            value=${draft.stop}
                            onChange=${(/** @type {FieldEvent} */ event) => set({ stop: event.target.value })}
                        >
                            ${Object.entries(STOPS).map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}
                        </select></label
                    >
                    <label class="field"
                        >Limit of labels
                        <input
                            type="number"
                            min="1"
                            value=${draft.max_labels ?? ""}
                            onInput=${(/** @type {FieldEvent} */ event) => set({ max_labels: event.target.value ? Number(event.target.value) : null })}
                    /></label>
                    ${
                        me.team
                            ? html` <label class="field"
                                      >Overlap: share of rows that two people label, blind
                                      <small>0.1 is a tenth; 0.5 is the most.</small>
                                      <input
                                          type="number"
                                          min="0"
                                          max="0.5"
                                          step="0.05"
                                          value=${draft.overlap}
                                          onInput=${(/** @type {FieldEvent} */ event) => set({ overlap: Number(event.target.value) })}
                                  /></label>
                                  <label class="field"
                                      >Where people disagree
                                      <select
                                          value=${draft.rule}
                                          onChange=${(/** @type {FieldEvent} */ event) => set({ rule: event.target.value })}
                                      >
                                          ${Object.entries(RULES).map(([name, title]) => html`<option key=${name} value=${name}>${title}</option>`)}
                                      </select></label
                                  >`
                            : null
                    }
                    <label class="check"
                        ><input
                            type="checkbox"
                            checked=${draft.opinion}
                            onChange=${(/** @type {FieldEvent} */ event) => set({ opinion: event.target.checked })}
                        /><span
                            >Show the model's opinion before the answer
                            <span class="quiet"
                                >People then tend to follow it: leave it off where labels must be
                                independent.</span
                            ></span
                        ></label
                    >
                </fieldset>
                ${owner ? html`<button class="main">Save settings</button>` : null}
                <${Said} said=${said} problem=${problem} />
            </form>
            <div>
                <${Exports} project=${project} role=${role} hasRows=${stored.has_row_file} scope=${stored.model_sentence} />
                ${
                    owner
                        ? html`<${DataIn} project=${project} targets=${draft.targets} onDone=${load} />
                              <${Simulation}
                                  project=${project}
                                  columns=${[...new Set([...(draft.targets), ...draft.columns.map((each) => each.name)])]}
                                  job=${live.job}
                              />`
                        : null
                }
            </div>
        </div>`;
}
