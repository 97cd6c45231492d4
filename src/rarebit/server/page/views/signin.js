// @ts-check
/** Before the session: sign in, or join by an invitation. */
import { post } from "../api.js";
import { html, useState } from "../dom.js";

/**
 * @import { Me } from "../replies.js"
 * @import { FormEvent } from "../requests.js"
 */

/** @param {{title: string, action: "/api/login"|"/api/join", button: string, fresh: boolean, onMe: (me: Me) => void, children?: unknown}} properties */
function AccountForm({ title, action, button, fresh, onMe, children }) {
    const [problem, setProblem] = useState("");
    const submit = (/** @type {FormEvent<"name"|"password">} */ event) => {
        event.preventDefault();
        const { name, password } = event.target.elements;
        post(action, { name: name.value.trim(), password: password.value }).then(
            (reply) => {
                location.hash = "";
                onMe(reply);
            },
            (error) => setProblem(error.message),
        );
    };
    return html`<main class="signin">
        <div class="card">
            <h1>${title}</h1>
            ${children} ${problem ? html`<p class="message bad" role="alert">${problem}</p>` : null}
            <form onSubmit=${submit}>
                <label class="field"
                    >Name <input name="name" autocomplete="username" required autofocus maxlength="64"
                /></label>
                <label class="field"
                    >Password
                    <input
                        name="password"
                        type="password"
                        autocomplete=${fresh ? "new-password" : "current-password"}
                        minlength=${fresh ? 8 : undefined}
                        required
                    />${fresh ? html`<small>At least 8 characters.</small>` : null}</label
                >
                <button class="main">${button}</button>
            </form>
        </div>
    </main>`;
}

/** @param {{onMe: (me: Me) => void}} properties */
export function Join({ onMe }) {
    return html`<${AccountForm} title="Join the team" action="/api/join" button="Join" fresh onMe=${onMe}
        ><p class="quiet">Choose the name that your answers carry, and a password.</p><//
    >`;
}

/** @param {{me: Me, linkUsed: boolean, restarted: boolean, onMe: (me: Me) => void}} properties */
export function SignIn({ me, linkUsed, restarted, onMe }) {
    if (me.team)
        return html`<${AccountForm}
            title="Sign in"
            action="/api/login"
            button="Sign in"
            fresh=${false}
            onMe=${onMe}
        />`;
    return html`<main class="signin">
        <div class="card">
            <h1>Open the link from the terminal</h1>
            ${
                restarted
                    ? html`<p role="alert">
                          The server was started again. Open the link that the terminal printed last.
                      </p>`
                    : html`<p>
                          ${linkUsed ? "This link was used already, or it is of an earlier start. " : ""}rarebit
                          prints a link when it starts. It works once, in one browser: open the newest one, or
                          start <code>rarebit label</code> again.
                      </p>`
            }
        </div>
    </main>`;
}
