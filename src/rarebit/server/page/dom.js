// @ts-check
/** The one place that knows which library draws the page, with the types that the views rely on. */
import * as preact from "./vendor/preact.js";
import * as hooks from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

const { h, render: renderInto, Fragment: Group } = /** @type {any} */ (preact);
const untyped = /** @type {any} */ (hooks);

const compile = /** @type {any} */ (htm).bind(h);
/** @type {WeakMap<TemplateStringsArray, string[]>} */
const spaced = new WeakMap();

/**
 * The library drops white space that holds a line break; browsers show it as a space. Here it is a
 * space too, so that sentences may be broken over lines in the source.
 *
 * @type {(strings: TemplateStringsArray, ...values: any[]) => any}
 */
export function html(strings, ...values) {
    let kept = spaced.get(strings);
    if (!kept) {
        kept = strings.map((piece) => piece.replace(/\s*\n\s*/g, " "));
        spaced.set(strings, kept);
    }
    return compile(kept, ...values);
}
/** @type {(content: any, place: HTMLElement) => void} */
export const render = renderInto;
/** @type {any} */
export const Fragment = Group;
/** @type {<T>(first: T | (() => T)) => [T, (next: T | ((old: T) => T)) => void]} */
export const useState = untyped.useState;
/** @type {(effect: () => (() => void) | void, inputs?: unknown[]) => void} */
export const useEffect = untyped.useEffect;
/** Before the browser paints or hears the next key. @type {(effect: () => (() => void) | void, inputs?: unknown[]) => void} */
export const useLayoutEffect = untyped.useLayoutEffect;
/** @type {<T>(first: T) => {current: T}} */
export const useRef = untyped.useRef;
