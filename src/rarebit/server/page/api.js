// @ts-check
/** Requests to the server: one error class, repeats with the same key, live events. */

/** An answer of the server that is not a success. */
export class ApiError extends Error {
    /**
     * @param {number} status HTTP status, 0 where no answer came
     * @param {string} kind machine-readable kind, such as "forbidden"
     * @param {string} message one sentence for people
     */
    constructor(status, kind, message) {
        super(message);
        this.status = status;
        this.kind = kind;
    }

    /** Whether the same request may succeed later: no answer, the server starts or the store is busy. */
    get isPassing() {
        return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
    }
}

/** Name of the event that asks whether this browser is still let in. */
export const REFUSED = "rarebit-refused";
const refused = () => void dispatchEvent(new Event(REFUSED));

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {RequestInit} [options]
 * @returns {Promise<any>} JSON; the types of `get`, `post` and `put` say what
 */
async function request(method, path, body, options = {}) {
    let reply;
    try {
        reply = await fetch(path, {
            method,
            credentials: "same-origin",
            cache: "no-store",
            headers: body === undefined ? {} : { "Content-Type": "application/json" },
            body: body === undefined ? undefined : JSON.stringify(body),
            ...options,
        });
    } catch {
        throw new ApiError(
            0,
            "offline",
            "The server does not answer. Is rarebit still running in the terminal?",
        );
    }
    let content = null;
    try {
        content = await reply.json();
    } catch {
        content = null;
    }
    if (!reply.ok) {
        if (reply.status === 401 && path !== "/api/login") refused();
        const error = content?.error ?? {};
        throw new ApiError(
            reply.status,
            error.kind ?? "unknown",
            error.message ?? `The server answered ${reply.status}.`,
        );
    }
    return content;
}

/** @type {import("./requests.js").Get} */
export const get = (/** @type {string} */ path, /** @type {Record<string, unknown>} */ query = {}) => {
    const words = Object.entries(query).filter(
        ([, value]) => value !== "" && value !== null && value !== undefined,
    );
    const text = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
    return request("GET", text ? `${path}?${text}` : path);
};

/** @type {import("./requests.js").Post} */
export const post = (
    /** @type {string} */ path,
    /** @type {unknown} */ body,
    /** @type {RequestInit|undefined} */ options = undefined,
) => request("POST", path, body, options);

/** @type {import("./requests.js").Put} */
export const put = (/** @type {string} */ path, /** @type {unknown} */ body) => request("PUT", path, body);

/** @param {string} path */
export const remove = (path) => request("DELETE", path, {});

/** A fresh idempotency key. `crypto.randomUUID` exists only over HTTPS and on this computer. */
export function newKey() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Send a request with a key until it is acknowledged; the key makes repeats harmless.
 *
 * @param {`${string}/${import("./requests.js").AnswerPath}`} path
 * @param {Record<string, unknown> & {key: string}} body
 * @param {(problem: ApiError | null) => void} onProblem called with each failure, with null after success
 */
export async function postUntilSaved(path, body, onProblem) {
    for (let wait = 400; ; wait = Math.min(wait * 2, 8000)) {
        try {
            const reply = await post(path, body);
            onProblem(null);
            return reply;
        } catch (error) {
            if (!(error instanceof ApiError) || !error.isPassing) throw error;
            onProblem(error);
            await new Promise((resolve) => setTimeout(resolve, wait));
        }
    }
}

/**
 * Listen to the live events of a project. The browser connects again by itself, unless it was refused:
 * then the session may have ended, or the server has just been started and reads its rows.
 *
 * @param {string} project
 * @param {Record<string, (data: unknown) => void>} handlers by event name
 * @returns {() => void} ends it
 */
export function listen(project, handlers) {
    /** @type {EventSource} */
    let source;
    let timer = 0;
    const connect = () => {
        source = new EventSource(`/api/projects/${encodeURIComponent(project)}/events`);
        for (const [name, handle] of Object.entries(handlers)) {
            if (name === "open") source.addEventListener("open", () => handle(null));
            else if (name === "lost") source.addEventListener("error", () => handle(null));
            else
                source.addEventListener(name, (event) =>
                    handle(JSON.parse(/** @type {MessageEvent} */ (event).data)),
                );
        }
        source.addEventListener("error", () => {
            if (source.readyState !== EventSource.CLOSED) return;
            refused();
            timer = setTimeout(connect, 2000);
        });
    };
    connect();
    return () => {
        clearTimeout(timer);
        source.close();
    };
}
