// @ts-check
/** The pool in two dimensions: labelled rows in their colours, the border of the model, a click shows the row. */
import { get } from "../api.js";
import { html, useEffect, useRef, useState } from "../dom.js";
import { Dialog } from "./dialog.js";
import { LabelIt } from "./labelit.js";
import { RowContent } from "./row.js";
import { Said } from "./said.js";

/** @import { Grid, PoolMap as PoolMapReply, Role, RowReply } from "../replies.js" */

/** @param {PoolMapReply} map @param {HTMLCanvasElement} canvas @param {Record<string, string>} colours @param {number|null} chosen */
function draw(map, canvas, colours, chosen) {
    const dots = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = width * dots;
    canvas.height = height * dots;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.scale(dots, dots);
    const style = getComputedStyle(document.documentElement);
    const place = placing(map, width, height);
    if (map.grid)
        drawGrid(
            map.grid,
            pen,
            place,
            style.getPropertyValue("--accent"),
            style.getPropertyValue("--accent-soft"),
        );
    const quiet = style.getPropertyValue("--quiet");
    for (const labelled of [false, true]) {
        for (let i = 0; i < map.row.length; i += 1) {
            const label = map.label[i];
            if ((label !== null) !== labelled) continue;
            const [x, y] = place(map.x[i], map.y[i]);
            pen.globalAlpha = labelled ? 1 : 0.35;
            pen.fillStyle = label === null ? quiet : (colours[label] ?? quiet);
            pen.beginPath();
            pen.arc(x, y, labelled ? 4.5 : 2, 0, 7);
            pen.fill();
            if (map.row[i] === chosen) {
                pen.globalAlpha = 1;
                pen.strokeStyle = style.getPropertyValue("--ink");
                pen.lineWidth = 2;
                pen.beginPath();
                pen.arc(x, y, 8, 0, 7);
                pen.stroke();
            }
        }
    }
    pen.globalAlpha = 1;
}

/** @param {PoolMapReply} map @param {number} width @param {number} height @returns {(x: number, y: number) => [number, number]} */
function placing(map, width, height) {
    const range = (/** @type {number[]} */ values) => [Math.min(...values), Math.max(...values)];
    const [x0, x1] = range(map.x);
    const [y0, y1] = range(map.y);
    const margin = 14;
    return (x, y) => [
        margin + ((x - x0) / (x1 - x0 || 1)) * (width - 2 * margin),
        height - margin - ((y - y0) / (y1 - y0 || 1)) * (height - 2 * margin),
    ];
}

/** @param {Grid} grid @param {CanvasRenderingContext2D} pen @param {(x: number, y: number) => [number, number]} place @param {string} line @param {string} soft */
function drawGrid(grid, pen, place, line, soft) {
    const at = (/** @type {number} */ i, /** @type {number} */ j) => grid.score[j * grid.nx + i];
    const px = (/** @type {number} */ i) => grid.x0 + ((grid.x1 - grid.x0) * i) / (grid.nx - 1);
    const py = (/** @type {number} */ j) => grid.y0 + ((grid.y1 - grid.y0) * j) / (grid.ny - 1);
    for (let j = 0; j < grid.ny - 1; j += 1) {
        for (let i = 0; i < grid.nx - 1; i += 1) {
            const [a, b] = [place(px(i), py(j)), place(px(i + 1), py(j + 1))];
            const positive = at(i, j) > 0;
            if (positive) {
                pen.fillStyle = soft;
                pen.fillRect(a[0], b[1], b[0] - a[0] + 0.5, a[1] - b[1] + 0.5);
            }
            pen.strokeStyle = line;
            pen.lineWidth = 1.5;
            pen.beginPath();
            if (positive !== at(i + 1, j) > 0) {
                pen.moveTo(b[0], a[1]);
                pen.lineTo(b[0], b[1]);
            }
            if (positive !== at(i, j + 1) > 0) {
                pen.moveTo(a[0], b[1]);
                pen.lineTo(b[0], b[1]);
            }
            pen.stroke();
        }
    }
}

/** @param {{project: string, role: Role, colours: Record<string, string>, version: number}} properties */
export function PoolMap({ project, role, colours, version }) {
    const canvas = useRef(/** @type {HTMLCanvasElement|null} */ (null));
    const [map, setMap] = useState(/** @type {PoolMapReply|null} */ (null));
    const [chosen, setChosen] = useState(/** @type {number|null} */ (null));
    const [shown, setShown] = useState(/** @type {RowReply|null} */ (null));
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    const base = `/api/projects/${encodeURIComponent(project)}`;
    useEffect(() => {
        let ended = false;
        const load = () =>
            get(`${base}/map`).then(
                (reply) => {
                    if (ended) return;
                    setMap(reply);
                    if (reply.state !== "ready") setTimeout(load, 1000);
                },
                () => undefined,
            );
        void load();
        return () => {
            ended = true;
        };
    }, [project, Math.floor(version / 5), said]);
    useEffect(() => {
        if (!map || map.state !== "ready" || !canvas.current) return undefined;
        const again = () => canvas.current && draw(map, canvas.current, colours, chosen);
        again();
        addEventListener("resize", again);
        return () => removeEventListener("resize", again);
    }, [map, colours, chosen]);
    if (!map || map.state !== "ready")
        return html`<p class="quiet" role="status">The map is being computed …</p>`;
    const open = (/** @type {number} */ row) => {
        setChosen(row);
        setSaid("");
        setProblem("");
        get(`${base}/rows/${row}`).then(setShown, () => undefined);
    };
    const saved = (/** @type {string} */ what) => {
        setSaid(what);
        setShown(null);
    };
    const onClick = (/** @type {MouseEvent} */ event) => {
        const where = /** @type {HTMLCanvasElement} */ (canvas.current).getBoundingClientRect();
        const place = placing(map, where.width, where.height);
        let [best, nearest] = [Infinity, -1];
        for (let i = 0; i < map.row.length; i += 1) {
            const [x, y] = place(map.x[i], map.y[i]);
            // Labelled rows are drawn on top and are easier to hit.
            const far =
                Math.hypot(x - (event.clientX - where.left), y - (event.clientY - where.top)) -
                (map.label[i] === null ? 0 : 3);
            if (far < best) [best, nearest] = [far, i];
        }
        if (nearest >= 0 && best < 24) open(map.row[nearest]);
    };
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const labelled = map.row.filter((_, i) => map.label[i] !== null);
        if (step && labelled.length) {
            event.preventDefault();
            // Without a chosen row, forwards begins with the first and backwards with the last.
            const from = chosen === null ? -1 : labelled.indexOf(chosen);
            const next = from < 0 && step < 0 ? -1 : from + step;
            setChosen(labelled[(next + labelled.length) % labelled.length]);
        } else if (event.key === "Enter" && chosen !== null) open(chosen);
    };
    return html` <canvas
            ref=${canvas}
            class="map"
            role="application"
            tabindex="0"
            onClick=${onClick}
            onKeyDown=${onKeyDown}
            aria-label=${`Map of the pool: ${map.row.length.toLocaleString("en")} of ${map.n_rows.toLocaleString("en")} rows. Arrow keys choose a labelled row, Enter shows it.`}
        ></canvas>
        <p class="quiet">
            ${map.sampled ? `A sample of ${map.row.length.toLocaleString("en")} rows. ` : ""}Two dimensions
            show only part of the
            distances.${map.grid?.score.some((each) => each > 0) ? ` The shaded side of the line is where the model expects ${map.rare ?? "the rare class"}.` : ""}
            Click a dot to see its row.
        </p>
        ${shown ? html`<${Dialog} title=${`Row ${shown.row.id}`} onClose=${() => setShown(null)}><${RowContent} row=${shown.row} />${role === "viewer" ? null : html`<${LabelIt} project=${project} row=${shown.row} onSaved=${saved} onProblem=${setProblem} />`}${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}<//>` : null}
        <${Said} said=${said} />`;
}
