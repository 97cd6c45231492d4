// @ts-check
/** Small line charts as SVG, with a text alternative. */
import { html } from "../dom.js";

const W = 560;
const H = 256;
const LEFT = 58;
const BOTTOM = 44;

/** Round steps for an axis; counts have no halves. @param {number} top @param {number} [least] */
function ticks(top, least = 0) {
    if (!(top > 0)) return [0, 1];
    const power = 10 ** Math.floor(Math.log10(top / 4));
    const round = [1, 2, 5, 10].map((each) => each * power).find((each) => top / each <= 5) ?? power * 10;
    const step = Math.max(least, round);
    return Array.from({ length: Math.floor(top / step + 1e-9) + 1 }, (_, i) => +(i * step).toPrecision(12));
}

/**
 * @param {{title: string, x: string, empty?: string, top?: number, percent?: boolean, lines: {name: string, colour: string, dashed?: boolean, points: [number, number|null][]}[]}} properties
 */
export function LineChart({ title, x, empty = "Nothing to draw yet.", top, percent = false, lines }) {
    const kept = lines.map((line) => ({
        ...line,
        points: /** @type {[number, number][]} */ (line.points.filter(([, value]) => value !== null)),
    }));
    if (!kept.some((line) => line.points.length)) return html`<p class="quiet">${empty}</p>`;
    const most = Math.max(1, ...kept.flatMap((line) => line.points.map(([at]) => at)));
    const high =
        top ?? Math.max(1, ...kept.flatMap((line) => line.points.map(([, value]) => value)));
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
            ${ticks(high, percent ? 0 : 1).map((value) => html`<g key=${value}><line class="axis" x1=${LEFT} x2=${W - 12} y1=${py(value)} y2=${py(value)} /><text x=${LEFT - 6} y=${py(value) + 4} text-anchor="end">${shown(value)}</text></g>`)}
            ${ticks(most, 1).map((value) => html`<text key=${value} x=${px(value)} y=${H - BOTTOM + 18} text-anchor="middle">${value.toLocaleString("en")}</text>`)}
            <text x=${W - 12} y=${H - 5} text-anchor="end">${x}</text>
            ${kept.map((line) => html`<polyline key=${line.name} class="line" stroke=${line.colour} stroke-dasharray=${line.dashed ? "5 4" : undefined} points=${line.points.map(([at, value]) => `${px(at).toFixed(1)},${py(value).toFixed(1)}`).join(" ")} />`)}
        </svg>
        <ul class="legend">
            ${kept.map((line) => html`<li key=${line.name}><span class=${`stroke${line.dashed ? " dashed" : ""}`} style=${{ color: line.colour }}></span>${line.name}</li>`)}
        </ul>
    </figure>`;
}
