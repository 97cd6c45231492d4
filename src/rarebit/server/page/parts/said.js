// @ts-check
/** What became of a press of a button, where the eyes are: beside it, and never outside the window. */
import { html, useEffect, useRef } from "../dom.js";

/** @param {{said?: string, problem?: string}} properties */
export function Said({ said, problem }) {
    const place = useRef(/** @type {HTMLElement|null} */ (null));
    useEffect(() => {
        if (said || problem) place.current?.scrollIntoView({ block: "nearest" });
    }, [said, problem]);
    return html`<div ref=${place} class="said">
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
    </div>`;
}
