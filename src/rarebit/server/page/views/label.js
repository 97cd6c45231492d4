// @ts-check
/** The view where a person answers, one row after the other. */
import { get, newKey, post, put } from "../api.js";
import { count, html, useEffect, useLayoutEffect, useRef, useState } from "../dom.js";
import { Labelling } from "../labelling.js";
import { Dialog } from "../parts/dialog.js";
import { COMMANDS, meaning, withKeys } from "../parts/keys.js";
import { RowContent } from "../parts/row.js";
import { useSwipe } from "../parts/swipe.js";
import { Why } from "../parts/why.js";

/**
 * @import { BriefProgress, ClassSetting, Role, SettingsReply, Undone, ViewProperties } from "../replies.js"
 * @import { FieldEvent } from "../requests.js"
 */

const SKIP_REASONS = ["unsure", "unreadable", "none of the classes"];

/** @param {{title: string, name: string, onSave: (text: string) => void, onClose: () => void, start: string, long?: boolean, hint?: string}} properties */
function Ask({ title, name, onSave, onClose, start, long = false, hint = "" }) {
    const [text, setText] = useState(start);
    const save = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (text.trim()) onSave(text.trim());
    };
    const typed = (/** @type {FieldEvent} */ event) => setText(event.target.value);
    return html`<${Dialog} title=${title} class="beside" onClose=${onClose}>
        <form onSubmit=${save}>
            <label class="field"
                >${name}
                ${long ? html`<textarea maxlength="5000" value=${text} onInput=${typed}></textarea>` : html`<input maxlength="200" value=${text} onInput=${typed} />`}
                ${hint ? html`<small>${hint}</small>` : null}
            </label>
            <button class="main" disabled=${!text.trim()}>Save</button>
        </form>
    <//>`;
}

/** @param {{onChoose: (reason: string) => void, onClose: () => void}} properties */
function SkipDialog({ onChoose, onClose }) {
    const [other, setOther] = useState("");
    return html`<${Dialog} title="Skip this row" class="beside" onClose=${onClose}>
        <p class="quiet">It is not asked again. Why can it not be labelled?</p>
        <div class="classes">
            ${SKIP_REASONS.map((each) => html`<button key=${each} onClick=${() => onChoose(each)}>${each[0].toUpperCase() + each.slice(1)}</button>`)}
        </div>
        <form
            onSubmit=${(/** @type {Event} */ event) => {
                event.preventDefault();
                if (other.trim()) onChoose(other.trim());
            }}
        >
            <label class="field"
                >Another reason
                <input
                    maxlength="500"
                    value=${other}
                    onInput=${(/** @type {FieldEvent} */ event) => setOther(event.target.value)}
            /></label>
            <button disabled=${!other.trim()}>Skip</button>
        </form>
    <//>`;
}

/** One sentence on what is saved. @param {{work: Labelling}} properties */
function Saving({ work }) {
    const last = work.saved[work.saved.length - 1];
    if (work.problem) {
        const waiting = work.pending.length
            ? ` ${work.pending.length} not saved yet; it is tried again.`
            : "";
        return html`<p class="saving bad" role="alert">${work.problem.message}${waiting}</p>`;
    }
    if (work.pending.length) return html`<p class="saving">Saving …</p>`;
    if (work.hint) return html`<p class="saving" role="status">${work.hint}</p>`;
    if (work.undone?.length)
        return html`<p class="saving">
            Taken back: ${work.undone.map(takenBack).join(", ")}.
        </p>`;
    if (!last) return html`<p class="saving">${work.message}</p>`;
    const what = last.what === "skip" ? "skipped" : `is ${last.label}`;
    return html`<p class="saving">
        ✓ Saved: ${last.id} ${what}.${last.new_class ? " A new class: it is sought from now on." : ""}
    </p>`;
}

/** A row, and its label where taking back a correction left one. @param {Undone} undone */
const takenBack = ({ id, again }) => (again === null ? id : `${id}, which is ${again} again`);

/** @param {{progress: BriefProgress}} properties */
function Counts({ progress }) {
    const own = progress.mine !== undefined && progress.mine !== progress.labels;
    return html`<p class="quiet">
        ${count(progress.labels, "label")}${own ? `, ${progress.mine} by you` : ""},
        ${progress.rows.toLocaleString("en")}
        rows.${progress.stop_advised ? " You may stop." : ""}${progress.search ? ` ${progress.search}.` : ""}
    </p>`;
}

/** What to do where nothing is left to ask. @param {{project: string, message: string, settings: SettingsReply|null, role: Role, onContinue: () => void}} properties */
function Done({ project, message, settings, role, onContinue }) {
    const owner = role === "owner" && settings;
    const open = owner && settings.target === null && settings.stop !== "never";
    return html`<div class="wait">
        <h1>Nothing is left to ask</h1>
        <p>${message}</p>
        <div class="row-of">
            <a class="button" href=${`#/${encodeURIComponent(project)}/progress`}>See what was found</a>
            ${open ? html`<button onClick=${onContinue}>Continue all the same</button>` : null}
        </div>
        ${owner && settings.target !== null ? html`<p>To continue, set a higher recall to prove under <a href=${`#/${encodeURIComponent(project)}/project`}>Project</a>.</p>` : null}
    </div>`;
}

/** @param {ViewProperties} properties */
export function Label({ project, role, live }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [, setTurn] = useState(0);
    const place = useRef(/** @type {Labelling|null} */ (null));
    const [settings, setSettings] = useState(/** @type {SettingsReply|null} */ (null));
    const [open, show] = useState(/** @type {string|null} */ (null));
    // What is open counts from the very key that opens it, before anything is drawn: keys that are
    // typed meanwhile are text for the field, never commands.
    const opened = useRef({ name: /** @type {string|null} */ (null), text: "" });
    const setOpen = (/** @type {string|null} */ name) => {
        opened.current = { name, text: "" };
        show(name);
    };
    const [whyOpen, setWhyOpen] = useState(false);
    const [spoken, setSpoken] = useState("");
    useEffect(() => {
        const work = new Labelling(project, () => setTurn((turn) => turn + 1));
        place.current = work;
        return () => work.close();
    }, [project]);
    useEffect(() => {
        get(`${base}/settings`).then(setSettings, () => undefined);
    }, [
        project,
        live.settings?.version,
        live.progress?.classes?.length, // one that somebody else has named
        place.current?.progress?.classes?.length,
    ]);
    useEffect(() => {
        if (place.current && (place.current.front.length < 3 || place.current.done))
            void place.current.fetchMore();
    }, [live.questionsAt]);
    const work = place.current;
    const classes = withKeys(mergedClasses(settings?.classes ?? [], work?.progress?.classes ?? []));
    const current = work?.current ?? null;
    const swipe = useSwipe(classes, (name) => work?.answer(name));
    // After each saved answer and each new row; a screen reader reads it without a change of focus.
    useEffect(() => {
        const last = work?.saved[work.saved.length - 1];
        const said = work?.undone?.length
            ? `Taken back: ${work.undone.map(takenBack).join(", ")}. `
            : last
              ? `Saved ${last.id} as ${last.what === "skip" ? "skipped" : last.label}. `
              : "";
        const next = current ? `Next row ${current.id}. ${current.title ?? current.text?.slice(0, 200) ?? ""}` : "";
        setSpoken(said + next);
    }, [current?.row, work?.saved.length, work?.undone]);
    const run = (/** @type {string} */ command) => {
        if (command === "undo") work?.undo();
        else if (command === "why") setWhyOpen((old) => !old);
        else if (command === "new" || work?.current) setOpen(command);
        else work?.tell("The next row is being chosen.");
    };
    const saveClass = (/** @type {string} */ name) => {
        setOpen(null);
        if (work?.current) work.answer(sameClass(name, classes));
        else work?.tell(`No row was in front of you, so nothing was called ${name}.`);
    };
    /** Keep a key that came before the field had the focus. @param {KeyboardEvent} event */
    const keep = (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        const { name, text } = opened.current;
        if (event.key === "Escape") setOpen(null);
        else if (event.key === "Enter" && name === "new" && text.trim()) saveClass(text.trim());
        else if (event.key === "Backspace") opened.current.text = text.slice(0, -1);
        else if (event.key.length === 1) opened.current.text += event.key;
    };
    const keyOf = (/** @type {string} */ name) =>
        COMMANDS.find((each) => each.name === name)
            ?.keys.find((key) => !classes.some((each) => each.key === key))
            ?.toUpperCase();
    // With every drawing at once: a key must not meet the classes and the row of an earlier one.
    useLayoutEffect(() => {
        const press = (/** @type {KeyboardEvent} */ event) => {
            const asks = opened.current.name !== null && opened.current.name !== "zoom";
            if (asks && !(event.target instanceof Element && event.target.closest("dialog"))) return keep(event);
            const meant = meaning(event, classes);
            if (!meant) return;
            event.preventDefault();
            if ("label" in meant) work?.answer(meant.label);
            else if ("command" in meant) run(meant.command);
            else work?.tell(`No class has the key ${meant.unknown}: ${keyOf("new")} names a new one.`);
        };
        addEventListener("keydown", press);
        return () => removeEventListener("keydown", press);
    });
    if (!work) return null;
    const goOn = () =>
        settings &&
        put(`${base}/settings`, { version: settings.version, stop: "never" }).then(
            (reply) => {
                setSettings(reply);
                work.done = false;
                void work.fetchMore();
            },
            (error) => {
                work.problem = error;
                setTurn((turn) => turn + 1);
            },
        );
    const last = work.saved[work.saved.length - 1] ?? null;
    return html`<div class="labelling">
        <div class="shown">
            <section
                class=${`card question${swipe.active ? " swiped" : ""}`}
                aria-label="Row to label"
                ...${swipe.handlers}
            >
                ${swipe.name ? html`<p class=${`swipe-to ${swipe.moved < 0 ? "left" : "right"}`}>${swipe.name}</p>` : null}
                ${
                    current
                        ? html`<header>
                                  <h1>Which class is this?</h1>
                                  <span class="id" data-name=${settings?.id_name ?? "row"}>${current.id}</span>
                              </header>
                              <div
                                  class="fade"
                                  key=${current.row}
                                  style=${swipe.moved ? { transform: `translateX(${swipe.moved / 2}px)` } : {}}
                              >
                                  <${RowContent}
                                      row=${current}
                                      zoomed=${open === "zoom"}
                                      onZoom=${(/** @type {boolean} */ on) => setOpen(on ? "zoom" : null)}
                                  />
                              </div>`
                        : work.done
                          ? html`<${Done}
                                project=${project}
                                message=${work.message}
                                settings=${settings}
                                role=${role}
                                onContinue=${goOn}
                            />`
                          : html`<div class="wait">
                                <div class="spinner"></div>
                                <p role="status">${work.problem?.message ?? "The next row is being chosen …"}</p>
                            </div>`
                }
            </section>
            ${
                last
                    ? html`<section class="card why" aria-label="The last row">
                          <button
                              class="plain small"
                              aria-expanded=${whyOpen}
                              onClick=${() => setWhyOpen(!whyOpen)}
                          >
                              Why was ${last.id} asked? <kbd>${keyOf("why")}</kbd>
                          </button>
                          ${whyOpen ? html`<${Why} key=${last.row} project=${project} row=${last.row} version=${live.progressAt} />` : null}
                      </section>`
                    : null
            }
        </div>
        <div class="side">
            <section class="card answer-card" aria-label="Answer">
                <h2>Answer</h2>
                <div class=${`classes${classes.length > 6 ? " many" : ""}`}>
                    ${classes.map((each) => html`<button key=${each.name} disabled=${!current} onClick=${() => work.answer(each.name)}><span class="swatch" style=${{ background: each.colour ?? "var(--quiet)" }}></span>${each.name}<kbd>${each.key.toUpperCase()}</kbd></button>`)}
                    ${
                        classes.length || !settings
                            ? null
                            : html`<p class="quiet">No class has a name yet. What is this row?</p>
                                  <button class="main" disabled=${!current} onClick=${() => setOpen("new")}>
                                      Name its class <kbd>${keyOf("new")}</kbd>
                                  </button>`
                    }
                </div>
                <div class="tools">
                    ${
                        classes.length
                            ? html`<button class="small" disabled=${!current} onClick=${() => setOpen("new")}>
                                  New class <kbd>${keyOf("new")}</kbd>
                              </button>`
                            : null
                    }
                    <button class="small" disabled=${!current} onClick=${() => setOpen("skip")}>
                        Skip <kbd>${keyOf("skip")}</kbd>
                    </button>
                    <button class="small" onClick=${() => work.undo()}>
                        Undo <kbd>${keyOf("undo")}</kbd>
                    </button>
                    <button class="small" disabled=${!current} onClick=${() => setOpen("note")}>
                        Note <kbd>${keyOf("note")}</kbd>
                    </button>
                </div>
                ${swipe.choice}
                <${Saving} work=${work} />
                ${work.progress ? html`<${Counts} progress=${work.progress} />` : null}
            </section>
            ${
                settings?.guidelines
                    ? html`<section class="card" aria-label="Guidelines">
                          <h2>Guidelines</h2>
                          <div class="guidelines" tabindex="0">${settings.guidelines}</div>
                      </section>`
                    : null
            }
        </div>
        <div class="unseen" aria-live="polite">${spoken}</div>
        ${
            open === "new"
                ? html`<${Ask}
                      title="New class"
                      name="Its name"
                      hint="From now on more rows like this one are sought."
                      start=${opened.current.text}
                      onClose=${() => setOpen(null)}
                      onSave=${saveClass}
                  />`
                : null
        }
        ${
            open === "note" && current
                ? html`<${Ask}
                      title="Note"
                      name=${`What should others know about ${current.id}?`}
                      long
                      start=${opened.current.text}
                      onClose=${() => setOpen(null)}
                      onSave=${(/** @type {string} */ note) => {
                          setOpen(null);
                          post(`${base}/notes`, { row: current.row, note, key: newKey() }).then(
                              () => work.tell(`✓ Note on ${current.id} saved. What is its class?`),
                              (error) => {
                                  work.problem = error;
                                  setTurn((turn) => turn + 1);
                              },
                          );
                      }}
                  />`
                : null
        }
        ${
            open === "skip"
                ? html`<${SkipDialog}
                      onClose=${() => setOpen(null)}
                      onChoose=${(/** @type {string} */ reason) => {
                          setOpen(null);
                          work.skip(reason);
                      }}
                  />`
                : null
        }
    </div>`;
}

/** Classes of the settings, then those met since. @param {ClassSetting[]} listed @param {{name: string}[]} met */
function mergedClasses(listed, met) {
    const names = new Set(listed.map((each) => each.name));
    return [...listed, ...met.filter((each) => !names.has(each.name)).map((each) => ({ name: each.name }))];
}

/** "Fraud" typed where "fraud" exists means that class. @param {string} name @param {{name: string}[]} classes */
function sameClass(name, classes) {
    return classes.find((each) => each.name.toLowerCase() === name.toLowerCase())?.name ?? name;
}

