// @ts-check
/** One row of the pool, shown as what it is: pictures, text, named cells. */
import { Fragment, html, useState } from "../dom.js";
import { Dialog } from "./dialog.js";

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** @param {{text: string, highlights: {word: string, class: string, weight: number}[]}} properties */
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

/** @param {{pictures: any[], zoomed: boolean, onZoom: (open: boolean) => void}} properties */
function Pictures({ pictures, zoomed, onZoom }) {
    const [scale, setScale] = useState(1);
    if (!pictures.length) return null;
    const first = pictures[0];
    return html`<div class="pictures">
        ${pictures.map(
            (each) =>
                html`<figure key=${each.url}>
                    <button onClick=${() => onZoom(true)} aria-label=${`Enlarge the picture ${each.name}`}>
                        <img
                            class=${Math.max(each.width, each.height) < 128 ? "tiny" : ""}
                            src=${`${each.url}?size=${Math.max(each.width, each.height) < 128 ? 320 : 1024}`}
                            alt=${each.name ? `Picture of the column ${each.name}` : "Picture of the row"}
                        />
                    </button>
                    ${pictures.length > 1 ? html`<figcaption class="quiet">${each.name}</figcaption>` : null}
                </figure>`,
        )}
        ${
            zoomed
                ? html`<${Dialog}
                      title=${first.name || "Picture"}
                      class="zoom"
                      onClose=${() => onZoom(false)}
                  >
                      <div class="row-of">
                          <button class="small" onClick=${() => setScale(scale / 1.5)}>Smaller</button
                          ><button class="small" onClick=${() => setScale(scale * 1.5)}>Larger</button
                          ><span class="quiet">${Math.round(scale * 100)} %</span>
                      </div>
                      <div class="stage" tabindex="0" role="group" aria-label="Enlarged picture">
                          <img
                              src=${`${first.url}?size=2048`}
                              alt="The row, enlarged"
                              style=${{ width: `${90 * scale}%` }}
                          />
                      </div>
                  <//>`
                : null
        }
    </div>`;
}

/** @param {{cells: any[]}} properties */
function Cells({ cells }) {
    if (!cells.length) return null;
    return html`<dl class="cells">
        ${cells.map(
            (each) =>
                html`<${Fragment} key=${each.name}>
                    <dt class=${each.unusual ? "unusual" : ""}>${each.name}</dt>
                    <dd class=${`${each.unusual ? "unusual" : ""} ${each.kind === "number" ? "number" : ""}`}>
                        ${each.value === null || each.shown === "" ? html`<span class="missing">missing</span>` : (each.shown ?? String(each.value))}
                        ${each.unusual ? html`<small>${each.unusual}</small>` : null}
                    </dd><//
                >`,
        )}
    </dl>`;
}

/** @param {{row: any, zoomed?: boolean, onZoom?: (open: boolean) => void}} properties */
export function RowContent({ row, zoomed = false, onZoom = () => undefined }) {
    return html` ${row.title ? html`<h2>${row.title}</h2>` : null}
        <${Pictures} pictures=${row.images ?? []} zoomed=${zoomed} onZoom=${onZoom} />
        ${row.text ? html`<div class="text">${row.text.split(/\n\s*\n/).map((/** @type {string} */ part, /** @type {number} */ i) => html`<p key=${i}><${Marked} text=${part} highlights=${row.highlights ?? []} /></p>`)}</div>` : null}
        <${Cells} cells=${row.cells ?? []} />
        ${row.opinion ? html`<p class="message">The model would say <strong>${row.opinion.class}</strong>. It may be wrong: decide by the row.</p>` : null}`;
}

/** A class name with its colour. @param {{name: string|null, colours: Record<string, string>}} properties */
export function ClassName({ name, colours }) {
    if (name === null || name === undefined) return html`<span class="quiet">none</span>`;
    return html`<span class="chip"
        ><span class="swatch" style=${{ background: colours[name] ?? "var(--quiet)" }}></span>${name}</span
    >`;
}
