// @ts-check
/** People: who is here, invitations, agreement, disagreements that the owner settles. */
import { linkTo } from "../address.js";
import { get, newKey, post, put, remove } from "../api.js";
import { html, useEffect, useState } from "../dom.js";
import { ClassName, RowContent } from "../parts/row.js";

/**
 * @import { Agreement as AgreementReply, Disagreement, Interval, PersonHere, Role, TeamReply, User, ViewProperties } from "../replies.js"
 * @import { FieldEvent, FormEvent } from "../requests.js"
 */

const ROLES = ["annotator", "viewer", "owner"];

/** @param {Interval|null} value */
const interval = (value) =>
    value
        ? `${value.value.toFixed(2)} (95 % interval ${value.low.toFixed(2)} to ${value.high.toFixed(2)})`
        : "not known yet";

const FEW = 10; // rows below which a coefficient says nothing

/** A coefficient that is corrected for chance. @param {Interval|null} value @param {number} rows */
const beyondChance = (value, rows) =>
    rows < FEW || (value && value.low === value.high && value.value < 1)
        ? `too few rows to tell (${rows})`
        : interval(value);

/** @param {{project: string, role: Role}} properties */
function Agreement({ project, role }) {
    const [found, setFound] = useState(/** @type {AgreementReply|null} */ (null));
    useEffect(() => {
        get(`/api/projects/${encodeURIComponent(project)}/agreement`).then(setFound, () => undefined);
    }, [project]);
    if (!found) return null;
    return html`<section class="card" aria-label="Agreement">
        <h2>Agreement</h2>
        <p>
            ${found.sentence}
            ${found.rows || role !== "owner" ? null : html`<a href=${linkTo(project, "project")}>To the settings</a>`}
        </p>
        ${found.rows ? html`<${Coefficients} found=${found} />` : null}
    </section>`;
}

/** @param {{found: AgreementReply}} properties */
function Coefficients({ found }) {
    return html`<table>
        <tbody>
            <tr>
                <th scope="row">Rows that two or more people answered, blind</th>
                <td class="number">${found.rows}</td>
            </tr>
            <tr>
                <th scope="row">Same answer</th>
                <td>${interval(found.raw)}</td>
            </tr>
            ${found.cohen.map(
                (each) =>
                    html`<tr key=${`${each.a}/${each.b}`}>
                        <th scope="row">Cohen's κ, ${each.a} and ${each.b}</th>
                        <td>${beyondChance(each, each.rows)}</td>
                    </tr>`,
            )}
            <tr>
                <th scope="row">Krippendorff's α</th>
                <td>${beyondChance(found.krippendorff, found.rows)}</td>
            </tr>
            <tr>
                <th scope="row">Fleiss' κ</th>
                <td>${beyondChance(found.fleiss, found.rows)}</td>
            </tr>
        </tbody>
    </table>`;
}

/** @param {{project: string, version: number}} properties */
function Disagreements({ project, version }) {
    const base = `/api/projects/${encodeURIComponent(project)}`;
    const [found, setFound] = useState(/** @type {{total: number, rows: Disagreement[]}|null} */ (null));
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    const [colours, setColours] = useState(/** @type {Record<string, string>} */ ({}));
    const load = () => get(`${base}/disagreements`).then(setFound, () => undefined);
    useEffect(() => {
        void load();
        get(`${base}/settings`).then(
            (reply) =>
                setColours(
                    Object.fromEntries(
                        reply.classes.map((each) => [each.name, each.colour]),
                    ),
                ),
            () => undefined,
        );
    }, [project, version]);
    if (!found) return null;
    const settle = (/** @type {Disagreement} */ item, /** @type {string} */ label) =>
        post(`${base}/corrections`, { row: item.row.row, label, key: newKey() }).then(
            () => {
                setSaid(`${item.row.id} is ${label}.`);
                setProblem("");
                void load();
            },
            (error) => {
                setSaid("");
                setProblem(error.message);
            },
        );
    return html`<section class="card" aria-label="Disagreements">
        <h2>Disagreements</h2>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        ${found.total ? null : html`<p class="quiet">None: nobody contradicts anybody.</p>`}
        ${found.rows.map(
            (item) =>
                html`<div key=${item.row.row} class="card">
                    <h3>Row ${item.row.id}</h3>
                    <${RowContent} row=${item.row} />
                    <ul>
                        ${item.answers.map((each) => html`<li key=${each.number}>${each.annotator}: <${ClassName} name=${each.label === null ? "skipped" : String(each.label)} colours=${colours} />${each.note ? ` ${each.note}` : ""}</li>`)}
                    </ul>
                    <div class="row-of">
                        Decide:
                        ${[...new Set(item.answers.map((each) => each.label).filter((label) => label !== null))].map((label) => html`<button class="small" key=${label} onClick=${() => settle(item, String(label))}><span class="swatch" style=${{ background: colours[String(label)] ?? "var(--quiet)" }}></span>${label}</button>`)}
                    </div>
                </div>`,
        )}
    </section>`;
}

/** @param {{project: string}} properties */
function Accounts({ project }) {
    const [team, setTeam] = useState(/** @type {TeamReply|null} */ (null));
    const [made, setMade] = useState(/** @type {{link: string}|null} */ (null));
    const [problem, setProblem] = useState("");
    const load = () => get("/api/team").then(setTeam, (error) => setProblem(error.message));
    useEffect(() => {
        void load();
    }, []);
    /** @template T @param {Promise<T>} work @returns {Promise<T|undefined>} */
    const attempt = (work) =>
        work.then(
            (reply) => {
                setProblem("");
                void load();
                return reply;
            },
            (error) => {
                setProblem(error.message);
                return undefined;
            },
        );
    const invite = (/** @type {FormEvent<"role"|"scope"|"days">} */ event) => {
        event.preventDefault();
        const { role, scope, days } = event.target.elements;
        void attempt(
            post("/api/team/invitations", {
                role: role.value,
                project: scope.value === "all" ? null : project,
                days: Number(days.value),
                uses: 1,
            }),
        ).then((reply) => reply && setMade(reply));
    };
    // A role in one project goes before the role everywhere; not every owner owns everything.
    const isHere = (/** @type {User} */ user) => Boolean(user.projects[project]) || !user.role || !team?.everywhere;
    if (!team) return problem ? html`<p class="message bad" role="alert">${problem}</p>` : null;
    return html`<section class="card" aria-label="Accounts">
        <h2>Accounts and invitations</h2>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        <table>
            <thead>
                <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Role</th>
                    <th scope="col" class="minor">In</th>
                    <th scope="col"><span class="unseen">Change</span></th>
                </tr>
            </thead>
            <tbody>
                ${team.users.map(
                    (each) =>
                        html`<tr key=${each.name}>
                            <td>${each.name}</td>
                            <td>
                                <select
                                    aria-label=${`Role of ${each.name}`}
                                    value=${each.projects[project] ?? each.role ?? ""}
                                    onChange=${(/** @type {FieldEvent} */ event) => attempt(put(`/api/team/users/${encodeURIComponent(each.name)}`, { role: event.target.value, project: isHere(each) ? project : null }))}
                                >
                                    ${each.projects[project] || each.role ? null : html`<option value="">none</option>`}
                                    ${ROLES.map((role) => html`<option key=${role} value=${role}>${role}</option>`)}
                                </select>
                            </td>
                            <td class="minor">${isHere(each) ? "this project" : "all projects"}</td>
                            <td>
                                <button
                                    class="small"
                                    disabled=${!team.everywhere}
                                    onClick=${() => confirm(`Remove the account of ${each.name}? The answers stay.`) && attempt(remove(`/api/team/users/${encodeURIComponent(each.name)}`))}
                                >
                                    Remove<span class="unseen"> ${each.name}</span>
                                </button>
                            </td>
                        </tr>`,
                )}
            </tbody>
        </table>
        <h3>Invite somebody</h3>
        <form class="row-of" onSubmit=${invite}>
            <label class="row-of"
                >as
                <select name="role">
                    ${ROLES.map((role) => html`<option key=${role} value=${role}>${role}</option>`)}
                </select></label
            >
            <label class="row-of"
                >in
                <select name="scope">
                    ${team.everywhere ? html`<option value="all">all projects</option>` : null}
                    <option value="here">this project</option>
                </select></label
            >
            <label class="row-of"
                >for <input type="number" name="days" min="1" max="90" value="7" /> days</label
            >
            <button class="main">Make a link</button>
        </form>
        ${
            made
                ? html`<p role="status">Send this link to one person. It is shown once and works once.</p>
                      <p class="link" id="invitation">${made.link}</p>`
                : null
        }
        ${
            team.invitations.length
                ? html`<h3>Open invitations</h3>
                      <ul>
                          ${team.invitations.map((each) => html`<li key=${each.id}>${each.role}, ${each.project ?? "all projects"}, until ${new Date(each.until).toLocaleDateString()} <button class="small" onClick=${() => attempt(remove(`/api/team/invitations/${encodeURIComponent(each.id)}`))}>Withdraw</button></li>`)}
                      </ul>`
                : null
        }
    </section>`;
}

/** Change one's own password. */
function OwnPassword() {
    const [said, setSaid] = useState("");
    const [problem, setProblem] = useState("");
    const change = (/** @type {FormEvent<"old"|"fresh">} */ event) => {
        event.preventDefault();
        const form = event.target;
        post("/api/password", { old: form.elements.old.value, new: form.elements.fresh.value }).then(
            () => {
                form.reset();
                setProblem("");
                setSaid("Changed. Other browsers are signed out.");
            },
            (error) => {
                setSaid("");
                setProblem(error.message);
            },
        );
    };
    return html`<section class="card" aria-label="Your password">
        <h2>Your password</h2>
        ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
        ${said ? html`<p class="message good" role="status">${said}</p>` : null}
        <form onSubmit=${change}>
            <label class="field"
                >Old password <input name="old" type="password" autocomplete="current-password" required
            /></label>
            <label class="field"
                >New password
                <input name="fresh" type="password" autocomplete="new-password" minlength="8" required
            /></label>
            <button class="small">Change password</button>
        </form>
    </section>`;
}

/** @param {ViewProperties} properties */
export function Team({ project, role, live }) {
    const [people, setPeople] = useState(/** @type {PersonHere[]} */ ([]));
    useEffect(() => {
        get(`/api/projects/${encodeURIComponent(project)}/people`).then(
            (reply) => setPeople(reply.people),
            () => undefined,
        );
    }, [project, live.peopleAt]);
    return html`<h1>Team</h1>
        <div class="two">
            <div>
                <section class="card" aria-label="People">
                    <h2>Who is here</h2>
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">Name</th>
                                <th scope="col">Role</th>
                                <th scope="col">Here</th>
                                <th scope="col" class="number">Labels</th>
                            </tr>
                        </thead>
                        <tbody>
                            ${people.map(
                                (each) =>
                                    html`<tr key=${each.name}>
                                        <td>${each.name}</td>
                                        <td>${each.role}</td>
                                        <td class=${each.here ? "nowrap" : ""}>
                                            ${each.here ? "● now" : each.last_seen ? new Date(each.last_seen).toLocaleString() : "–"}
                                        </td>
                                        <td class="number">${each.labels}</td>
                                    </tr>`,
                            )}
                        </tbody>
                    </table>
                </section>
                <${Agreement} project=${project} role=${role} />
            </div>
            <div>
                ${role === "owner" ? html`<${Accounts} project=${project} />` : null}
                <${OwnPassword} />
            </div>
        </div>
        ${role === "owner" ? html`<${Disagreements} project=${project} version=${live.progress?.labels ?? 0} />` : null}`;
}
