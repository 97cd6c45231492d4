// @ts-check
/** Data in and out: exports, import of labels, known rows, more rows. */
import { ApiError, newKey, post } from "../api.js";
import { html, useState } from "../dom.js";

/**
 * @import { Role } from "../replies.js"
 * @import { FormEvent } from "../requests.js"
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
    { path: "report.html", name: "report.html", title: "Report" },
];

/** @param {{project: string, role: Role}} properties */
export function Exports({ project, role }) {
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
            ${FILES.map((each) => html`<button key=${each.path} disabled=${Boolean(busy)} onClick=${() => fetchFile(each)}>${busy === each.path ? "Being made …" : each.title}</button>`)}
        </div>
        ${problem ? html`<p class="message warn" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <p class="quiet">
            The model is chosen by cross-validation of your labels, which can take a minute; labelling
            continues meanwhile. It is read by <code>rarebit predict</code> and <code>rarebit serve</code>.
        </p>
    </section>`;
}

/** @param {{project: string, targets: string[]}} properties */
export function DataIn({ project, targets }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    const run = async (/** @type {() => Promise<string>} */ work) => {
        setSaid("");
        setProblem("");
        try {
            setSaid(await work());
        } catch (error) {
            setProblem(/** @type {Error} */ (error).message);
        }
    };
    const chosen = (/** @type {FormEvent<"file">} */ event) => event.target.elements.file.files?.[0];
    const importFile = (/** @type {FormEvent<"file">} */ event) => {
        event.preventDefault();
        const file = chosen(event);
        if (file)
            void run(
                async () =>
                    `${(await post(`${base}/imports`, { key: newKey(), name: file.name, base64: await asBase64(file) })).stored} labels taken over.`,
            );
    };
    const importColumn = (/** @type {FormEvent<"column">} */ event) => {
        event.preventDefault();
        const column = event.target.elements.column.value;
        if (column)
            void run(
                async () =>
                    `${(await post(`${base}/imports`, { key: newKey(), column })).stored} labels taken over from ${column}.`,
            );
    };
    const known = (/** @type {FormEvent<"known">} */ event) => {
        event.preventDefault();
        const lines = event.target.elements.known.value
            .split("\n")
            .map((line) => line.split("="))
            .filter((parts) => parts.length >= 2);
        const labels = lines.map((parts) => ({
            id: parts[0].trim(),
            label: parts.slice(1).join("=").trim(),
        }));
        if (labels.length)
            void run(async () => {
                const reply = await post(`${base}/known`, { labels, key: newKey() });
                return `${reply.stored} known rows taken over.${reply.unknown.length ? ` Not in the pool: ${reply.unknown.join(", ")}.` : ""}`;
            });
    };
    const addRows = (/** @type {FormEvent<"file">} */ event) => {
        event.preventDefault();
        const file = chosen(event);
        if (file)
            void run(async () => {
                const reply = await post(`${base}/rows`, {
                    key: newKey(),
                    name: file.name,
                    base64: await asBase64(file),
                });
                return `${reply.added} rows added: ${reply.rows.toLocaleString("en")} now.`;
            });
    };
    return html`<section class="card" aria-label="Data in">
        <h2>Labels and rows from elsewhere</h2>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <form onSubmit=${importFile}>
            <label class="field"
                >Labels from a file <small>One row per label, with the id and the class.</small
                ><input type="file" name="file" required /></label
            ><button class="small">Import labels</button>
        </form>
        ${
            targets.length
                ? html`<form onSubmit=${importColumn}>
                      <label class="field"
                          >Labels from a column
                          <select name="column">
                              ${targets.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
                          </select></label
                      ><button class="small">Import the column</button>
                  </form>`
                : null
        }
        <form onSubmit=${known}>
            <label class="field"
                >Known rows <small>One per line: ID=CLASS</small
                ><textarea name="known" rows="3"></textarea></label
            ><button class="small">Use as a start</button>
        </form>
        <form onSubmit=${addRows}>
            <label class="field"
                >More rows <small>A file with the same columns and other ids.</small
                ><input type="file" name="file" required /></label
            ><button class="small">Add rows</button>
        </form>
    </section>`;
}
