// @ts-check
/** One row of the pool, shown as what it is: pictures, text, named cells. */
import { Fragment, html, useState } from "../dom.js";
import { Dialog } from "./dialog.js";

/** @import { Cell, Highlight, Picture, Row } from "../replies.js" */

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** @param {{text: string, highlights: Highlight[]}} properties */
function Marked({ text, highlights }) {
    if (!highlights.length) return text;
    const words = new Map(highlights.map((each) => [each.word.toLowerCase(), each]));
    const pattern = new RegExp(
        `(?<![\\p{L}\\p{N}])(${[...words.keys()].map(escaped).join("|")})(?![\\p{L}\\p{N}])`,
        "giu",
    );
    // Every second part of a split with one group is a match.
    return text
        .split(pattern)
        .map((part, i) =>
            i % 2
                ? html`<mark
                      key=${i}
                      title=${`Speaks for ${words.get(part.toLowerCase())?.class ?? "a class"}`}
                      >${part}</mark
                  >`
                : part,
        );
}

/** The address of a picture as it is shown, and therefore preloaded. @param {{url: string}} picture */
export const shownUrl = (picture) => `${picture.url}?size=1024`;

/** @param {{pictures: Picture[], zoomed: boolean, onZoom: (open: boolean) => void}} properties */
function Pictures({ pictures, zoomed, onZoom }) {
    const [which, setWhich] = useState(/** @type {number|null} */ (null));
    if (!pictures.length) return null;
    const close = () => {
        setWhich(null);
        onZoom(false);
    };
    return html`<div class="pictures">
            ${pictures.map(
                (each, i) =>
                    html`<figure key=${each.url}>
                        <button
                            type="button"
                            onClick=${() => setWhich(i)}
                            aria-label=${`Enlarge the picture ${each.name}`}
                        >
                            <img
                                src=${shownUrl(each)}
                                alt=${each.name === "image" ? "Picture of the row" : `Picture of the column ${each.name}`}
                            />
                        </button>
                        ${pictures.length > 1 ? html`<figcaption class="quiet">${each.name}</figcaption>` : null}
                    </figure>`,
            )}
        </div>
        ${which !== null || zoomed ? html`<${Zoom} pictures=${pictures} first=${which ?? 0} onClose=${close} />` : null}`;
}

/** One picture as large as the window, or larger. @param {{pictures: Picture[], first: number, onClose: () => void}} properties */
function Zoom({ pictures, first, onClose }) {
    const [which, setWhich] = useState(first);
    const [scale, setScale] = useState(1);
    const each = pictures[which] ?? pictures[0];
    const size = `${100 * scale}%`;
    const next = () => setWhich((which + 1) % pictures.length);
    return html`<${Dialog} title=${each.name === "image" ? "Picture" : each.name} class="zoom" onClose=${onClose}>
        <div class="row-of">
            <button type="button" class="small" onClick=${() => setScale(scale / 1.5)}>Smaller</button>
            <button type="button" class="small" onClick=${() => setScale(scale * 1.5)}>Larger</button>
            ${pictures.length > 1 ? html`<button type="button" class="small" onClick=${next}>Next picture</button>` : null}
            <span class="quiet">${Math.round(scale * 100)} %</span>
        </div>
        <div class="stage" tabindex="0" role="group" aria-label="Enlarged picture">
            <img
                src=${`${each.url}?size=2048`}
                alt=${`${each.name}, enlarged`}
                style=${{ width: size, height: size }}
            />
        </div>
    <//>`;
}

/** @param {{cells: Cell[]}} properties */
function Cells({ cells }) {
    if (!cells.length) return null;
    return html`<dl class="cells">
        ${cells.map(
            (each) =>
                html`<${Fragment} key=${each.name}>
                    <dt class=${each.unusual ? "unusual" : ""}>${each.name}</dt>
                    <dd class=${`${each.unusual ? "unusual" : ""} ${["number", "time"].includes(each.kind) ? "number" : ""}`}>
                        ${each.shown === "" || (each.value === null && each.shown === "missing") ? html`<span class="missing">missing</span>` : each.shown}
                        ${each.unusual ? html`<small>${each.unusual}</small>` : null}
                    </dd><//
                >`,
        )}
    </dl>`;
}

/** @param {{row: Row, zoomed?: boolean, onZoom?: (open: boolean) => void}} properties */
export function RowContent({ row, zoomed = false, onZoom = () => undefined }) {
    return html` ${row.title ? html`<h2>${row.title}</h2>` : null}
        <${Pictures} pictures=${row.images} zoomed=${zoomed} onZoom=${onZoom} />
        ${row.text ? html`<div class="text">${row.text.split(/\n\s*\n/).map((part, i) => html`<p key=${i}><${Marked} text=${part} highlights=${row.highlights} /></p>`)}</div>` : null}
        <${Cells} cells=${row.cells} />
        ${row.opinion ? html`<p class="message">The model would say <strong>${row.opinion.class}</strong>. It may be wrong: decide by the row.</p>` : null}`;
}

/** A class name with its colour. @param {{name: string|null, colours: Record<string, string>}} properties */
export function ClassName({ name, colours }) {
    if (name === null || name === undefined) return html`<span class="quiet">none</span>`;
    return html`<span class="chip"
        ><span class="swatch" style=${{ background: colours[name] ?? "var(--quiet)" }}></span>${name}</span
    >`;
}
