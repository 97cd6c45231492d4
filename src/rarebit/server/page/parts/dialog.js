// @ts-check
/** A modal dialog: the browser keeps the focus inside it and closes it with Esc. */
import { html, useLayoutEffect, useRef } from "../dom.js";

/**
 * @param {{title: string, onClose: () => void, children?: unknown, class?: string}} properties
 */
export function Dialog({ title, onClose, children, class: kind = "" }) {
    const place = useRef(/** @type {HTMLDialogElement|null} */ (null));
    // Open before the next key: who types "n9" fast must not answer with the key 9.
    useLayoutEffect(() => {
        const dialog = place.current;
        const before = document.activeElement;
        dialog?.showModal();
        // What is asked for comes first, else the first class; a field for the case that none fits
        // comes later, so that the key of a class is never taken for a name.
        const first = dialog?.querySelector("input:not(.later), textarea, .classes button");
        if (first instanceof HTMLElement) first.focus();
        return () => {
            if (dialog?.open) dialog.close();
            if (before instanceof HTMLElement) before.focus();
        };
    }, []);
    const onClick = (/** @type {MouseEvent} */ event) => event.target === place.current && onClose();
    return html`<dialog
        ref=${place}
        class=${kind}
        aria-label=${title}
        onCancel=${(/** @type {Event} */ event) => {
            event.preventDefault();
            onClose();
        }}
        onClick=${onClick}
    >
        <div class="inside">
            <div class="row-of">
                <h2 class="grow">${title}</h2>
                <button class="small" onClick=${onClose}>Close</button>
            </div>
            ${children}
        </div>
    </dialog>`;
}
