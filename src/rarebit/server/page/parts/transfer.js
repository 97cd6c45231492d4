// @ts-check
/** Data in and out: exports, import of labels, known rows, more rows. */
import { ApiError, newKey, post } from "../api.js";
import { count, html, useState } from "../dom.js";
import { Said } from "./said.js";

/**
 * @import { Role } from "../replies.js"
 * @import { FormEvent } from "../requests.js"
 * @typedef {{by: string, said?: string, problem?: string}} Told what became of a form
 */

/** @param {File} file @returns {Promise<string>} */
function asBase64(file) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ""));
        reader.onerror = () => reject(new ApiError(0, "file", `${file.name} cannot be read.`));
        reader.readAsDataURL(file);
    });
}

/** Fetch a file, so that a refusal is a sentence and not a broken download. @param {string} url @param {string} name */
async function download(url, name) {
    const reply = await fetch(url, { credentials: "same-origin" }).catch(() => null);
    if (!reply) throw new ApiError(0, "offline", "The server does not answer.");
    if (!reply.ok) {
        const content = await reply.json().catch(() => null);
        throw new ApiError(
            reply.status,
            "refused",
            content?.error?.message ?? `The server answered ${reply.status}.`,
        );
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await reply.blob());
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const FILES = [
    { path: "labels.csv?details=true", name: "labels.csv", title: "Labels as CSV" },
    { path: "labels.jsonl?details=true", name: "labels.jsonl", title: "Labels as JSON lines" },
    { path: "labels.parquet?details=true", name: "labels.parquet", title: "Labels as Parquet" },
    { path: "ranked.csv", name: "ranked.csv", title: "Ranked list: found, then unseen" },
    { path: "model.rarebit", name: "model.rarebit", title: "Model" },
    { path: "rows.csv", name: "rows.csv", title: "All rows as CSV" },
    { path: "report.html", name: "report.html", title: "Report" },
];

/** @param {{project: string, role: Role, hasRows: boolean, scope: string}} properties */
export function Exports({ project, role, hasRows, scope }) {
    const [busy, setBusy] = useState("");
    const [problem, setProblem] = useState("");
    const [said, setSaid] = useState("");
    const fetchFile = async (/** @type {(typeof FILES)[number]} */ file) => {
        setBusy(file.path);
        setProblem("");
        setSaid("");
        try {
            await download(
                `/api/projects/${encodeURIComponent(project)}/exports/${file.path}`,
                `${project}-${file.name}`,
            );
            setSaid(`${project}-${file.name} is in your downloads.`);
        } catch (error) {
            setProblem(/** @type {Error} */ (error).message);
        }
        setBusy("");
    };
    if (role === "annotator")
        return html`<section class="card" aria-label="Export">
            <h2>Export</h2>
            <p class="quiet">Files are for the owner and viewers.</p>
        </section>`;
    return html`<section class="card" aria-label="Export">
        <h2>Export</h2>
        <div class="exports">
            ${FILES.filter((each) => hasRows || each.name !== "rows.csv").map((each) => html`<button key=${each.path} disabled=${Boolean(busy)} onClick=${() => fetchFile(each)}>${busy === each.path ? "Being made …" : each.title}</button>`)}
        </div>
        ${problem ? html`<p class="message warn" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <p>${scope}</p>
        <p class="quiet">
            The model is chosen by cross-validation of your labels, which can take a minute; labelling
            continues meanwhile. It is read by <code>rarebit predict</code> and <code>rarebit serve</code>${hasRows ? html`, for rows with the columns of these: <code>rarebit predict ${project}-model.rarebit ${project}-rows.csv</code>` : null}.
        </p>
    </section>`;
}

const have = (/** @type {number} */ n) => (n === 1 ? "1 has" : `${n.toLocaleString("en")} have`);

/** @param {string[]} alike sentences on classes that are perhaps one */
const near = (alike) => alike.map((each) => ` ${each}`).join("");

/** @param {{stored: number, already: number, alike: string[]}} reply @param {string} [from] */
const takenOver = ({ stored, already, alike }, from = "") => {
    const same = already ? ` ${have(already)} this label already.` : "";
    return `${count(stored, "label")} taken over${from}.${same}${near(alike)}`;
};

/** @param {{project: string, targets: string[], onDone: () => void}} properties */
export function DataIn({ project, targets, onDone }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [told, setTold] = useState(/** @type {Told} */ ({ by: "" }));
    const run = async (/** @type {string} */ by, /** @type {() => Promise<string>} */ work) => {
        setTold({ by, said: "Being taken in …" });
        try {
            setTold({ by, said: await work() });
            onDone();
        } catch (error) {
            setTold({ by, problem: /** @type {Error} */ (error).message });
        }
    };
    const saidBy = (/** @type {string} */ by) => html`<${Said} ...${told.by === by ? told : {}} />`;
    const chosen = (/** @type {FormEvent<any>} */ event) => event.target.elements.file.files?.[0];
    const importFile = (/** @type {FormEvent<"file"|"id"|"label"|"skip">} */ event) => {
        event.preventDefault();
        const file = chosen(event);
        const { id, label, skip } = event.target.elements;
        const columns = { id: id.value.trim() || null, label: label.value.trim() || null };
        const skip_unknown = skip.checked;
        if (file)
            void run("file", async () => {
                const base64 = await asBase64(file);
                const body = { key: newKey(), name: file.name, base64, skip_unknown, ...columns };
                const reply = await post(`${base}/imports`, body);
                const left = reply.left_out;
                return `${takenOver(reply)}${left ? ` ${left === 1 ? "1 was left out: its id is" : `${left} were left out: their ids are`} not in the data.` : ""}`;
            });
    };
    const importColumn = (/** @type {FormEvent<"column">} */ event) => {
        event.preventDefault();
        const column = event.target.elements.column.value;
        if (column)
            void run("column", async () => takenOver(await post(`${base}/imports`, { key: newKey(), column }), ` from ${column}`));
    };
    const known = (/** @type {FormEvent<"known">} */ event) => {
        event.preventDefault();
        /** @type {{id: string, label: string}[]} */
        const labels = [];
        /** @type {number[]} */
        const odd = []; // lines that say nothing
        event.target.elements.known.value.split("\n").forEach((line, i) => {
            const [id, ...rest] = line.split("=").map((part) => part.trim());
            const label = rest.join("=");
            if (id && label) labels.push({ id, label });
            else if (line.trim()) odd.push(i + 1);
        });
        const strange = odd.length ? ` Not ID=CLASS: ${odd.length === 1 ? "line" : "lines"} ${odd.join(", ")}.` : "";
        if (labels.length)
            void run("known", async () => {
                const { stored, already, unknown, alike } = await post(`${base}/known`, { labels, key: newKey() });
                const same = already.length ? ` ${have(already.length)} this label already: ${already.join(", ")}.` : "";
                const gone = unknown.length ? ` Not in the pool: ${unknown.join(", ")}.` : "";
                return `${count(stored, "known row")} taken over.${same}${gone}${strange}${near(alike)}`;
            });
        else if (strange) setTold({ by: "known", problem: strange.trim() });
    };
    const addRows = (/** @type {FormEvent<"file">} */ event) => {
        event.preventDefault();
        const file = chosen(event);
        if (file)
            void run("rows", async () => {
                const reply = await post(`${base}/rows`, {
                    key: newKey(),
                    name: file.name,
                    base64: await asBase64(file),
                });
                return `${count(reply.added, "row")} added: ${reply.rows.toLocaleString("en")} now.`;
            });
    };
    return html`<section class="card" aria-label="Data in">
        <h2>Labels and rows from elsewhere</h2>
        <form onSubmit=${importFile}>
            <label class="field"
                >Labels from a file <small>One row per label, with the id and the class.</small
                ><input type="file" name="file" required
            /></label>
            <details>
                <summary>Columns and unknown ids</summary>
                <label class="field"
                    >Column of ids <small>Empty for the name that it has in the data.</small
                    ><input name="id" maxlength="500"
                /></label>
                <label class="field"
                    >Column of classes <small>Empty for “label”.</small
                    ><input name="label" maxlength="500"
                /></label>
                <label class="check"
                    ><input type="checkbox" name="skip" /><span
                        >Leave out ids that are not in the data, and take the others alone</span
                    ></label
                >
            </details>
            <button class="small">Import labels</button>
            ${saidBy("file")}
        </form>
        ${
            targets.length
                ? html`<form onSubmit=${importColumn}>
                      <label class="field"
                          >Labels from a column
                          <small>It is no feature from then on. Each of its values is a class.</small
                          ><select name="column" required>
                              <option value="">Choose a column</option>
                              ${targets.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
                          </select></label
                      ><button class="small">Import the column</button>
                      ${saidBy("column")}
                  </form>`
                : null
        }
        <form onSubmit=${known}>
            <label class="field"
                >Known rows <small>One per line: ID=CLASS</small
                ><textarea name="known" rows="3"></textarea></label
            ><button class="small">Use as a start</button>
            ${saidBy("known")}
        </form>
        <form onSubmit=${addRows}>
            <label class="field"
                >More rows <small>A file with the same columns and other ids.</small
                ><input type="file" name="file" required /></label
            ><button class="small">Add rows</button>
            ${saidBy("rows")}
        </form>
    </section>`;
}
