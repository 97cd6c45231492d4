// @ts-check
/** Small line charts as SVG, with a text alternative. */
import { html } from "../dom.js";

const W = 560;
const H = 240;
const LEFT = 46;
const BOTTOM = 30;

/** Round steps for an axis. @param {number} top */
function ticks(top) {
    if (!(top > 0)) return [0, 1];
    const power = 10 ** Math.floor(Math.log10(top / 4));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => top / each <= 5) ?? power * 10;
    return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => +(i * step).toPrecision(12));
}

/**
 * @param {{title: string, x: string, top?: number, percent?: boolean, lines: {name: string, colour: string, dashed?: boolean, points: [number, number|null][]}[]}} properties
 */
export function LineChart({ title, x, top, percent = false, lines }) {
    const kept = lines.map((line) => ({
        ...line,
        points: /** @type {[number, number][]} */ (line.points.filter(([, value]) => value !== null)),
    }));
    const most = Math.max(1, ...kept.flatMap((line) => line.points.map(([at]) => at)));
    const high =
        top ?? Math.max(percent ? 1 : 1, ...kept.flatMap((line) => line.points.map(([, value]) => value)));
    const px = (/** @type {number} */ at) => LEFT + (at / most) * (W - LEFT - 12);
    const py = (/** @type {number} */ value) => H - BOTTOM - (value / high) * (H - BOTTOM - 14);
    const shown = (/** @type {number} */ value) =>
        percent ? `${Math.round(value * 100)} %` : value.toLocaleString("en");
    const last = kept
        .filter((line) => line.points.length)
        .map((line) => `${line.name}: ${shown(line.points[line.points.length - 1][1])}`);
    return html`<figure aria-label=${title}>
        <svg
            class="chart"
            viewBox=${`0 0 ${W} ${H}`}
            role="img"
            aria-label=${`${title}. At the end, ${last.join(", ") || "nothing yet"}.`}
        >
            ${ticks(high).map((value) => html`<g key=${value}><line class="axis" x1=${LEFT} x2=${W - 12} y1=${py(value)} y2=${py(value)} /><text x=${LEFT - 6} y=${py(value) + 4} text-anchor="end">${shown(value)}</text></g>`)}
            ${ticks(most).map((value) => html`<text key=${value} x=${px(value)} y=${H - BOTTOM + 16} text-anchor="middle">${value.toLocaleString("en")}</text>`)}
            <text x=${W - 12} y=${H - 2} text-anchor="end">${x}</text>
            ${kept.map((line) => html`<polyline key=${line.name} class="line" stroke=${line.colour} stroke-dasharray=${line.dashed ? "5 4" : undefined} points=${line.points.map(([at, value]) => `${px(at).toFixed(1)},${py(value).toFixed(1)}`).join(" ")} />`)}
        </svg>
        <ul class="legend">
            ${kept.map((line) => html`<li key=${line.name}><span class="swatch" style=${{ background: line.colour }}></span>${line.name}</li>`)}
        </ul>
    </figure>`;
}
