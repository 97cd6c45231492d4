// @ts-check
/**
 * The queue of questions of one tab: what is shown, what is preloaded, what is being saved.
 *
 * An answer leaves the screen at once and is sent in the order given; the next row is already here.
 * What has not been acknowledged is kept in sessionStorage, so that closing or reloading the tab
 * before the server answered loses nothing: it is sent again with the same key.
 */
import { ApiError, get, newKey, post, postUntilSaved } from "./api.js";
import { shownUrl } from "./parts/row.js";

const WANTED = 6;
const HEARTBEAT = 30_000;

/**
 * @import { BriefProgress, Hand, Id, Row, Saved, Undone } from "./replies.js"
 * @import { AnswerPath } from "./requests.js"
 * @typedef {{row: number|null, id: Id|null, what: string, label?: string}} Shown what was answered
 * @typedef {{path: AnswerPath, body: Record<string, unknown> & {key: string}, shown: Shown, at: Row|null}} Pending
 */

export class Labelling {
    /** @param {string} project @param {() => void} onChange */
    constructor(project, onChange) {
        this.base = `/api/projects/${encodeURIComponent(project)}`;
        this.onChange = onChange;
        this.tab = sessionStorage.getItem("rarebit-tab") ?? newKey();
        sessionStorage.setItem("rarebit-tab", this.tab);
        this.box = `rarebit-unsent-${project}`;
        /** @type {Map<number, Row>} */
        this.known = new Map();
        /** @type {number[]} */
        this.front = [];
        /** @type {Pending[]} */
        this.pending = JSON.parse(sessionStorage.getItem(this.box) ?? "[]");
        /** @type {Set<number|null>} rows answered in this tab, sent or not */
        this.answered = new Set(this.pending.map((each) => each.shown.row));
        /** @type {(Saved & {new_class: boolean})[]} */
        this.saved = [];
        /** @type {Undone[]|null} what the last undo took back */
        this.undone = null;
        /** @type {BriefProgress|null} */
        this.progress = null;
        this.done = false;
        this.message = "";
        /** What to say of something other than an answer, until the next one. */
        this.hint = "";
        /** @type {Error|null} */
        this.problem = null;
        this.sending = false;
        this.asking = false;
        this.closed = false;
        this.timer = setInterval(() => this.beat(), HEARTBEAT);
        this.leave = () => this.release();
        addEventListener("pagehide", this.leave);
        void this.send();
        void this.fetchMore();
    }

    /** @returns {Row|null} the row to answer */
    get current() {
        return this.front.length ? (this.known.get(this.front[0]) ?? null) : null;
    }

    close() {
        this.closed = true;
        clearInterval(this.timer);
        removeEventListener("pagehide", this.leave);
        this.release();
    }

    /** @param {string} hint */
    tell(hint) {
        this.hint = hint;
        this.changed();
    }

    changed() {
        if (!this.closed) this.onChange();
    }

    // --- questions -------------------------------------------------------------------------

    /** Ask for rows; safe to call at any time. */
    async fetchMore() {
        if (this.asking || this.closed) return;
        this.asking = true;
        try {
            this.take(await get(`${this.base}/questions`, { tab: this.tab, n: WANTED }));
            this.problem = null;
            if (!this.current && !this.done) setTimeout(() => this.fetchMore(), 500);
        } catch (error) {
            this.problem = /** @type {Error} */ (error);
            setTimeout(() => this.fetchMore(), 1500);
        } finally {
            this.asking = false;
            this.changed();
        }
    }

    /** @param {Hand} reply */
    take(reply) {
        for (const row of reply.questions ?? []) {
            this.known.set(row.row, row);
            for (const picture of row.images ?? []) new Image().src = shownUrl(picture); // into the cache
        }
        if (reply.front) {
            // A reply that was on its way while somebody answered must not bring the row back.
            for (const each of reply.undone ?? []) this.answered.delete(each.row);
            const answered = this.answered;
            const shown = this.front.length && !reply.undone ? this.front[0] : null;
            const rest = reply.front.filter(
                (row) => this.known.has(row) && !answered.has(row) && row !== shown,
            );
            // The row in front of a person never changes under their hands, but for an undo.
            this.front = shown === null ? rest : [shown, ...rest];
        }
        if (reply.progress) this.progress = reply.progress;
        if (reply.done !== undefined) this.done = reply.done && !this.front.length;
        if (reply.message !== undefined) this.message = reply.message;
    }

    // --- answers ---------------------------------------------------------------------------

    /** @param {string} label @param {string} [note] */
    answer(label, note = "") {
        const row = this.current;
        if (!row) return;
        this.put(
            "answers",
            { row: row.row, label, ...(note ? { note } : {}) },
            { row: row.row, id: row.id, what: "label", label },
            row,
        );
    }

    /** @param {string} reason */
    skip(reason) {
        const row = this.current;
        if (!row) return;
        this.put("skips", { row: row.row, reason }, { row: row.row, id: row.id, what: "skip" }, row);
    }

    /** Take back the last answer of this person. */
    undo(n = 1) {
        this.put("undos", { n }, { row: null, id: null, what: "undo" }, null);
    }

    /** @param {AnswerPath} path @param {Record<string, unknown>} body @param {Shown} shown @param {Row|null} at */
    put(path, body, shown, at) {
        this.hint = "";
        this.pending.push({ path, body: { ...body, key: newKey(), tab: this.tab }, shown, at });
        if (shown.row !== null) {
            this.answered.add(shown.row);
            this.front = this.front.filter((row) => row !== shown.row);
        }
        this.keep();
        this.changed();
        void this.send();
    }

    keep() {
        sessionStorage.setItem(this.box, JSON.stringify(this.pending));
    }

    /** Send what waits, one after the other, in the order given. */
    async send() {
        if (this.sending) return;
        this.sending = true;
        while (this.pending.length) {
            const next = this.pending[0];
            try {
                const body = { ...next.body, want: WANTED, have: this.front.slice(0, 100) };
                const reply = await postUntilSaved(`${this.base}/${next.path}`, body, (problem) => {
                    this.problem = problem;
                    this.changed();
                });
                this.pending.shift();
                this.acknowledge(next, reply);
            } catch (error) {
                // Somebody who is let in again sends it then.
                if (error instanceof ApiError && error.status === 401) break;
                // Refused for good: show why, and bring the row back.
                this.pending.shift();
                this.problem = /** @type {Error} */ (error);
                if (next.at) {
                    this.answered.delete(next.at.row);
                    this.known.set(next.at.row, next.at);
                    this.front.unshift(next.at.row);
                }
            }
            this.keep();
            this.changed();
        }
        this.sending = false;
        if (!this.current && !this.done) void this.fetchMore();
    }

    /** @param {Pending} sent @param {Hand} reply */
    acknowledge(sent, reply) {
        if (sent.shown.what === "undo") {
            const undone = reply.undone ?? [];
            const gone = new Set(undone.map((each) => each.row));
            this.saved = this.saved.filter((each) => !gone.has(each.row));
            this.message = undone.length ? "" : "There is no answer to take back.";
            this.undone = undone;
        } else if (reply.saved) {
            this.saved = [...this.saved.slice(-49), { ...reply.saved, what: sent.shown.what }];
            this.undone = null;
        }
        this.take(reply);
    }

    // --- leases ----------------------------------------------------------------------------

    async beat() {
        if (document.visibilityState !== "visible" || !this.front.length) return;
        try {
            const reply = await post(`${this.base}/heartbeats`, { tab: this.tab, rows: this.front });
            const lost = new Set(reply.lost.filter((row) => row !== this.front[0]));
            this.front = this.front.filter((row) => !lost.has(row));
            this.changed();
        } catch {
            // The next answer will show whether the server is gone.
        }
    }

    release() {
        void post(`${this.base}/releases`, { tab: this.tab }, { keepalive: true }).catch(() => undefined);
    }
}
