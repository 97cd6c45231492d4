// @ts-check
/** Answers by a swipe, for telephones. Off until a person switches it on; the buttons stay. */
import { html, useRef, useState } from "../dom.js";

/** @import { FieldEvent } from "../requests.js" */

const FAR = 72; // pixels that a finger moves before it means an answer
const STEEP = 2; // so many times further across than up or down, or it scrolls
const SLOW = 1200; // milliseconds after which it is no swipe
const BOX = "rarebit-swipe";

/**
 * Follow a finger over a row.
 *
 * @param {{name: string}[]} classes the first is answered to the left, the second to the right
 * @param {(name: string) => void} onAnswer
 */
export function useSwipe(classes, onAnswer) {
    const [on, setOn] = useState(localStorage.getItem(BOX) === "on");
    const [moved, setMoved] = useState(0);
    const start = useRef(/** @type {{x: number, y: number, at: number}|null} */ (null));
    const possible = classes.length >= 2;
    const meant = (/** @type {number} */ across) =>
        Math.abs(across) < FAR ? null : classes[across < 0 ? 0 : 1].name;
    const end = () => {
        start.current = null;
        setMoved(0);
    };
    const across = (/** @type {TouchEvent} */ event) => {
        const from = start.current;
        const finger = event.changedTouches[0];
        if (!from || event.touches.length > 1 || Date.now() - from.at > SLOW) return 0;
        const x = finger.clientX - from.x;
        return Math.abs(x) > STEEP * Math.abs(finger.clientY - from.y) ? x : 0;
    };
    const handlers = {
        onTouchStart: (/** @type {TouchEvent} */ event) => {
            const finger = event.touches[0];
            const alone = event.touches.length === 1;
            start.current = alone ? { x: finger.clientX, y: finger.clientY, at: Date.now() } : null;
        },
        onTouchMove: (/** @type {TouchEvent} */ event) => setMoved(across(event)),
        onTouchEnd: (/** @type {TouchEvent} */ event) => {
            const name = meant(across(event));
            end();
            if (name !== null) onAnswer(name);
        },
        onTouchCancel: end,
    };
    const choose = (/** @type {FieldEvent} */ event) => {
        localStorage.setItem(BOX, event.target.checked ? "on" : "off");
        setOn(event.target.checked);
    };
    return {
        handlers: on && possible ? handlers : {},
        moved,
        name: on && possible ? meant(moved) : null,
        active: on && possible,
        choice: possible
            ? html`<label class="swipe-choice"
                  ><input type="checkbox" checked=${on} onChange=${choose} />
                  <span>Swipe: left for ${classes[0].name}, right for ${classes[1].name}</span></label
              >`
            : null,
    };
}
