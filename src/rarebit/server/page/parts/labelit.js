// @ts-check
/** The class of a row that somebody has opened: one of those there are, or a new one. */
import { get, newKey, postUntilSaved } from "../api.js";
import { html, useEffect, useState } from "../dom.js";
import { withKeys } from "./keys.js";

/**
 * @import { ClassSetting, Row } from "../replies.js"
 * @import { FormEvent } from "../requests.js"
 */

/**
 * The classes to choose from in a dialog, with their keys: as while labelling, except in a field.
 *
 * @param {{classes: ClassSetting[], without?: unknown, onChoose: (name: string) => unknown}} properties
 */
export function ClassChoice({ classes, without, onChoose }) {
    const choices = withKeys(classes).filter((each) => each.name !== without);
    useEffect(() => {
        const press = (/** @type {KeyboardEvent} */ event) => {
            if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
            if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
            const chosen = choices.find((each) => each.key && each.key === event.key.toLowerCase());
            if (!chosen) return;
            event.preventDefault();
            void onChoose(chosen.name);
        };
        document.addEventListener("keydown", press);
        return () => document.removeEventListener("keydown", press);
    });
    return html`<div class="row-of choice">
        ${choices.map((each) => html`<button key=${each.name} aria-keyshortcuts=${each.key} onClick=${() => onChoose(each.name)}><span class="swatch" style=${{ background: each.colour ?? "var(--quiet)" }}></span>${each.name} <kbd aria-hidden="true">${each.key.toUpperCase()}</kbd></button>`)}
    </div>`;
}

/** @param {{project: string, row: Row, onSaved: (said: string) => void, onProblem: (message: string) => void}} properties */
export function LabelIt({ project, row, onSaved, onProblem }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [classes, setClasses] = useState(/** @type {ClassSetting[]} */ ([]));
    useEffect(() => {
        get(`${base}/settings`).then(
            (reply) => setClasses(reply.classes),
            () => undefined,
        );
    }, [project]);
    const label = async (/** @type {string} */ name) => {
        try {
            const body = { row: row.row, label: name, key: newKey() };
            await postUntilSaved(`${base}/answers`, body, () => undefined);
            onSaved(`${row.id} is ${name}. It counts as given.`);
        } catch (error) {
            onProblem(/** @type {Error} */ (error).message);
        }
    };
    return html`<h3>Label it</h3>
        <${ClassChoice} classes=${classes} onChoose=${label} />
        <form
            class="row-of"
            onSubmit=${(/** @type {FormEvent<"name">} */ event) => {
                event.preventDefault();
                const name = event.target.elements.name.value.trim();
                if (name) void label(name);
            }}
        >
            <label class="row-of">New class <input class="later" name="name" maxlength="200" /></label><button>Save</button>
        </form>`;
}
