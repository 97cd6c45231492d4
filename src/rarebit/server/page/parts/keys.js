// @ts-check
/** Keys: which one gives which class, which one does what, and the page that lists them. */
import { get } from "../api.js";
import { html, useEffect, useState } from "../dom.js";
import { Dialog } from "./dialog.js";

/** Commands and their keys. A class may have the letter of a command; the other key still works. */
export const COMMANDS = [
    { name: "skip", keys: ["s", "-"], title: "Skip: I cannot tell" },
    { name: "undo", keys: ["u", "Backspace"], title: "Undo your last answer" },
    { name: "new", keys: ["n", "+"], title: "New class" },
    { name: "note", keys: ["t", ","], title: "Write a note" },
    { name: "why", keys: ["w", "."], title: "Why was the last row asked?" },
    { name: "zoom", keys: ["z", "Enter"], title: "Enlarge the picture" },
];

const FREE = [..."123456789", ..."abcdefghijklmopqrvxy"];

/**
 * Give each class a key: its own from the settings, its name if that is one key, else the first that is free.
 *
 * @param {{name: string, key?: string|null, colour?: string|null}[]} classes
 * @returns {{name: string, key: string, colour: string|null}[]}
 */
export function withKeys(classes) {
    const taken = new Set(classes.map((each) => each.key?.toLowerCase()).filter(Boolean));
    return classes.map((each) => {
        let key = each.key?.toLowerCase() ?? "";
        if (!key) {
            const own = each.name.toLowerCase();
            const fits = (own === "0" || FREE.includes(own)) && !taken.has(own);
            key = fits ? own : (FREE.find((letter) => !taken.has(letter)) ?? "");
            taken.add(key);
        }
        return { name: each.name, key, colour: each.colour ?? null };
    });
}

/**
 * What a key press means here.
 *
 * @param {KeyboardEvent} event
 * @param {{name: string, key: string}[]} classes
 * @returns {{label: string}|{command: string}|{unknown: string}|null}
 */
export function meaning(event, classes) {
    if (event.target instanceof Element && event.target.closest("input, textarea, select, dialog"))
        return null;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") return { command: "undo" };
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return null;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    // Enter and the space bar belong to the button that has the focus.
    if (key === "Enter" && event.target instanceof Element && event.target.closest("button, a")) return null;
    const found = classes.find((each) => each.key && each.key === key);
    if (found) return { label: found.name };
    const command = COMMANDS.find((each) => each.keys.includes(key));
    if (command) return { command: command.name };
    return /^[\p{L}\p{N}]$/u.test(key) ? { unknown: key.toUpperCase() } : null;
}

/** @param {{project: string, onClose: () => void}} properties */
export function KeysDialog({ project, onClose }) {
    const [classes, setClasses] = useState(/** @type {ReturnType<typeof withKeys>} */ ([]));
    useEffect(() => {
        get(`/api/projects/${encodeURIComponent(project)}/settings`).then(
            (reply) => setClasses(withKeys(reply.classes)),
            () => undefined,
        );
    }, [project]);
    return html`<${Dialog} title="Keys" onClose=${onClose}>
        <table>
            <caption class="unseen">
                Keys while labelling
            </caption>
            <tbody>
                ${classes.map(
                    (each) =>
                        html`<tr key=${each.name}>
                            <th scope="row"><kbd>${each.key.toUpperCase()}</kbd></th>
                            <td>${each.name}</td>
                        </tr>`,
                )}
                ${COMMANDS.map(
                    (each) =>
                        html`<tr key=${each.name}>
                            <th scope="row">
                                ${each.keys.map((key) => html`<kbd key=${key}>${key.length === 1 ? key.toUpperCase() : key}</kbd> `)}
                            </th>
                            <td>${each.title}</td>
                        </tr>`,
                )}
                <tr>
                    <th scope="row"><kbd>Ctrl</kbd> <kbd>Z</kbd></th>
                    <td>Undo your last answer</td>
                </tr>
                <tr>
                    <th scope="row"><kbd>?</kbd></th>
                    <td>This list</td>
                </tr>
            </tbody>
        </table>
        <p class="quiet">
            Answers are stored on this server before they are shown as saved. You can close the page at any
            time and continue later.
        </p>
    <//>`;
}
