// @ts-check
/** The class of a row that somebody has opened: one of those there are, or a new one. */
import { get, newKey, postUntilSaved } from "../api.js";
import { html, useEffect, useState } from "../dom.js";

/**
 * @import { ClassSetting, Row } from "../replies.js"
 * @import { FormEvent } from "../requests.js"
 */

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
        <div class="row-of">
            ${classes.map((each) => html`<button key=${each.name} onClick=${() => label(each.name)}><span class="swatch" style=${{ background: each.colour }}></span>${each.name}</button>`)}
        </div>
        <form
            class="row-of"
            onSubmit=${(/** @type {FormEvent<"name">} */ event) => {
                event.preventDefault();
                const name = event.target.elements.name.value.trim();
                if (name) void label(name);
            }}
        >
            <label class="row-of">New class <input name="name" maxlength="200" /></label><button>Save</button>
        </form>`;
}
