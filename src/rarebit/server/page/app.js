// @ts-check
/** Boot, session, the frame around the views, and the address of each view (`#/project/view`). */
import { linkTo, useAddress } from "./address.js";
import { get, listen, post, REFUSED } from "./api.js";
import { html, render, useEffect, useRef, useState } from "./dom.js";
import { KeysDialog } from "./parts/keys.js";
import { Answers } from "./views/answers.js";
import { Label } from "./views/label.js";
import { Progress } from "./views/progress.js";
import { ProjectSettings } from "./views/project.js";
import { Search } from "./views/search.js";
import { Join, SignIn } from "./views/signin.js";
import { Team } from "./views/team.js";

/**
 * @import { Live, Me, ProjectEntry } from "./replies.js"
 * @import { FieldEvent } from "./requests.js"
 */

const VIEWS = [
    { name: "label", title: "Label", view: Label, roles: ["owner", "annotator"] },
    { name: "progress", title: "Progress", view: Progress, roles: ["owner", "annotator", "viewer"] },
    { name: "answers", title: "Answers", view: Answers, roles: ["owner", "annotator", "viewer"] },
    { name: "search", title: "Search", view: Search, roles: ["owner", "annotator", "viewer"] },
    { name: "project", title: "Project", view: ProjectSettings, roles: ["owner", "annotator", "viewer"] },
    { name: "team", title: "Team", view: Team, roles: ["owner", "annotator", "viewer"] },
];

function ThemeButton() {
    const [theme, setTheme] = useState(localStorage.getItem("rarebit-theme") ?? "");
    useEffect(() => {
        if (theme) document.documentElement.dataset.theme = theme;
        else delete document.documentElement.dataset.theme;
        localStorage.setItem("rarebit-theme", theme);
    }, [theme]);
    const next = theme === "" ? "dark" : theme === "dark" ? "light" : "";
    const shown = theme === "dark" ? "Dark" : theme === "light" ? "Light" : "Auto";
    return html`<button
        class="plain small wide"
        onClick=${() => setTheme(next)}
        aria-label=${`Colours: ${shown}. Change.`}
    >
        Colours: ${shown.toLowerCase()}
    </button>`;
}

/** Live figures of a project, by server-sent events. @param {string|null} project */
function useLive(project) {
    const [live, setLive] = useState(/** @type {Live} */ ({ connected: false }));
    useEffect(() => {
        if (!project) return undefined;
        setLive({ connected: false });
        const keep = (/** @type {string} */ name) => (/** @type {unknown} */ data) =>
            setLive((old) => ({
                ...old,
                connected: true,
                [name]: data,
                [`${name}At`]: Date.now(),
            }));
        return listen(project, {
            open: () => setLive((old) => ({ ...old, connected: true, closing: undefined })), // it runs again
            lost: () => setLive((old) => ({ ...old, connected: false })),
            status: keep("progress"),
            questions: keep("questions"),
            learner: keep("learner"),
            people: keep("people"),
            settings: keep("settings"),
            job: keep("job"),
            closing: keep("closing"),
        });
    }, [project]);
    return live;
}

/** @param {{live: Live}} properties */
function Learner({ live }) {
    const state = live.learner?.state ?? live.progress?.learner ?? "";
    if (live.closing) return html`<span class="chip">The server has ended</span>`;
    if (!live.connected) return html`<span class="chip">Connecting …</span>`;
    const met = live.progress?.classes?.filter((each) => each.labelled > 0).length ?? 0;
    /** @type {Record<string, string>} */
    const words = {
        idle: met < 2 ? "No model yet" : "Model up to date",
        working: "Model learning",
        starting: "Starting",
        crashed: "Restarting the learner",
    };
    return html`<span class="chip wide" title="The model learns while you continue"
        >${words[state] ?? "Connected"}</span
    >`;
}

/** @param {{me: Me, onMe: (me: Me|null) => void}} properties */
function Signed({ me, onMe }) {
    const parts = useAddress();
    const [projects, setProjects] = useState(/** @type {ProjectEntry[]|null} */ (null));
    const [problem, setProblem] = useState("");
    const [help, setHelp] = useState(false);
    const chosen = projects?.find((each) => each.name === parts[0]) ?? projects?.[0] ?? null;
    const starting = projects?.some((each) => each.state === "starting");
    useEffect(() => {
        let ended = false;
        const load = () =>
            get("/api/projects").then(
                (reply) => !ended && (setProjects(reply.projects), setProblem("")),
                (error) => !ended && setProblem(error.message),
            );
        void load();
        const timer = setInterval(load, starting || !projects ? 250 : 20_000);
        return () => {
            ended = true;
            clearInterval(timer);
        };
    }, [starting, !projects]);
    const live = useLive(chosen?.state === "ready" ? chosen.name : null);
    useEffect(() => {
        const open = (/** @type {KeyboardEvent} */ event) => {
            const inField =
                event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
            if (event.key === "?" && !inField) setHelp(true);
        };
        addEventListener("keydown", open);
        return () => removeEventListener("keydown", open);
    }, []);
    if (!projects) return html`<p class="boot">${problem || "Opening the project …"}</p>`;
    if (!chosen)
        return html`<p class="boot">No project is open to you yet: ask its owner for an invitation.</p>`;
    const allowed = VIEWS.filter(
        (each) => each.roles.includes(chosen.role) && (each.name !== "team" || me.team),
    );
    const view = allowed.find((each) => each.name === parts[1]) ?? allowed[0];
    document.title = `${view.title} · ${chosen.title} · rarebit`;
    return html` <a
            class="skip-link"
            href="#main"
            onClick=${(/** @type {Event} */ event) => {
                event.preventDefault();
                document.getElementById("main")?.focus();
            }}
            >Skip to the content</a
        >
        <header class="top">
            <div class="brand"><img src="/static/icon.svg" alt="" /><span>rarebit</span></div>
            ${
                projects.length > 1
                    ? html`<select
                          aria-label="Project"
                          value=${chosen.name}
                          onChange=${(/** @type {FieldEvent} */ event) => {
                              location.hash = linkTo(event.target.value, view.name);
                          }}
                      >
                          ${projects.map((each) => html`<option value=${each.name}>${each.title}</option>`)}
                      </select>`
                    : html`<strong>${chosen.title}</strong>`
            }
            <nav class="views" aria-label="Views">
                ${allowed.map((each) => html`<a key=${each.name} href=${linkTo(chosen.name, each.name)} aria-current=${each === view ? "page" : undefined}>${each.title}</a>`)}
            </nav>
            <div class="status">
                <${Learner} live=${live} />
                <${ThemeButton} />
                <button class="plain small" onClick=${() => setHelp(true)} aria-label="Keys and help">?</button>
                ${me.name ? html`<span class="quiet wide who">${me.name}</span><button class="plain small" onClick=${() => onMe(null)} title=${`Signed in as ${me.name}`}>Sign out</button>` : null}
            </div>
        </header>
        <main id="main" tabindex="-1">
            ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
            ${
                chosen.state === "failed"
                    ? html`<p class="message bad" role="alert">${chosen.message}</p>`
                    : chosen.state === "starting"
                      ? html`<div class="wait">
                            <div class="spinner"></div>
                            <p role="status">
                                ${chosen.message || "The rows are being read. The first question comes in a moment."}
                            </p>
                        </div>`
                      : html`<${view.view}
                            key=${`${chosen.name}/${view.name}`}
                            project=${chosen.name}
                            role=${chosen.role}
                            me=${me}
                            live=${live}
                        />`
            }
        </main>
        ${help ? html`<${KeysDialog} project=${chosen.name} onClose=${() => setHelp(false)} />` : null}`;
}

function App() {
    const [me, setMe] = useState(/** @type {Me|undefined} */ (undefined));
    const [problem, setProblem] = useState("");
    const parts = useAddress();
    const load = () =>
        get("/api/me").then(
            (reply) => {
                setMe(reply);
                setProblem("");
            },
            (error) => {
                setProblem(error.message);
                setTimeout(load, 1500);
            },
        );
    useEffect(() => {
        void load();
        const check = () => get("/api/me").then(setMe, () => undefined);
        addEventListener(REFUSED, check);
        return () => removeEventListener(REFUSED, check);
    }, []);
    const wasIn = useRef(/** @type {Me|null} */ (null)); // who was signed in last
    if (me?.signed_in) wasIn.current = me;
    const onMe = async (/** @type {Me|null} */ reply) => {
        if (reply) {
            // What somebody else did not get to send is not this person's answer.
            if (wasIn.current && wasIn.current.name !== reply.name) sessionStorage.clear();
            setMe(reply);
            return;
        }
        await post("/api/logout", {}).catch(() => undefined);
        await load();
    };
    if (me === undefined) return html`<p class="boot">${problem || "Opening the project …"}</p>`;
    if (parts[0] === "join" && !me.signed_in) return html`<${Join} onMe=${onMe} />`;
    if (!me.signed_in) return html`<${SignIn} me=${me} linkUsed=${parts[0] === "link-used"} restarted=${Boolean(wasIn.current)} onMe=${onMe} />`;
    return html`<${Signed} me=${me} onMe=${onMe} />`;
}

const place = /** @type {HTMLElement} */ (document.getElementById("app"));
place.textContent = "";
render(html`<${App} />`, place);
