// @ts-check
/** The one place that knows which library draws the page. */
import { Fragment, h, render } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

const compile = htm.bind(h);
/** @type {WeakMap<TemplateStringsArray, TemplateStringsArray>} */
const spaced = new WeakMap();

/**
 * The library drops white space that holds a line break; browsers show it as a space. Here it is a
 * space too, so that sentences may be broken over lines in the source.
 *
 * @param {TemplateStringsArray} strings
 * @param {unknown[]} values
 */
export function html(strings, ...values) {
    let kept = spaced.get(strings);
    if (!kept) {
        const pieces = strings.map((piece) => piece.replace(/\s*\n\s*/g, " "));
        kept = Object.assign(pieces, { raw: strings.raw });
        spaced.set(strings, kept);
    }
    return compile(kept, ...values);
}

/** @param {number} n @param {string} word */
export const count = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

export { Fragment, render, useEffect, useLayoutEffect, useRef, useState };
