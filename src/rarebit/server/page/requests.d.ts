/**
 * Which path takes what and replies with what, and the events of fields and forms. For the type check
 * alone (`make types`): browsers never load this file, and it is not installed.
 */
import type {
    Agreement,
    AnswerList,
    Disagreement,
    Forecast,
    Hand,
    Id,
    Job,
    Me,
    PersonHere,
    PoolMap,
    ProjectEntry,
    RowReply,
    Saved,
    SearchReply,
    SettingsChange,
    SettingsReply,
    Status,
    StoredEvent,
    TeamReply,
    Why,
} from "./replies.js";

type Keyed = { key: string };

export interface Get {
    (path: "/api/me"): Promise<Me>;
    (path: "/api/projects"): Promise<{ projects: ProjectEntry[] }>;
    (path: "/api/team"): Promise<TeamReply>;
    (path: `${string}/settings`): Promise<SettingsReply>;
    (path: `${string}/questions`, query: { tab: string; n: number }): Promise<Hand>;
    (path: `${string}/status`): Promise<Status>;
    (path: `${string}/forecast`, query: { recall: string }): Promise<Forecast>;
    (path: `${string}/map`): Promise<PoolMap>;
    (path: `${string}/people`): Promise<{ people: PersonHere[] }>;
    (path: `${string}/agreement`): Promise<Agreement>;
    (path: `${string}/disagreements`): Promise<{ total: number; rows: Disagreement[] }>;
    (path: `${string}/answers`, query: Record<string, unknown>): Promise<AnswerList>;
    (path: `${string}/rows/${number}`): Promise<RowReply>;
    (path: `${string}/rows/${number}/why`): Promise<Why>;
    (path: `${string}/rows/${number}/history`): Promise<{ events: StoredEvent[] }>;
    (path: `${string}/simulations`): Promise<{ job: Job | null }>;
    (path: `${string}/simulations/${string}`): Promise<Job>;
}

export interface Post {
    (path: "/api/logout", body: object): Promise<Me>;
    (path: "/api/login" | "/api/join", body: { name: string; password: string }): Promise<Me>;
    (path: "/api/password", body: { old: string; new: string }): Promise<{ changed: true }>;
    (
        path: "/api/team/invitations",
        body: { role: string; project: string | null; days: number; uses: number },
    ): Promise<{ id: string; link: string; until: string }>;
    (path: `${string}/${AnswerPath}`, body: Keyed & object): Promise<Hand>;
    (path: `${string}/notes`, body: Keyed & { row: number; note: string }): Promise<{ saved: Saved }>;
    (path: `${string}/corrections`, body: Keyed & { row: number; label: string }): Promise<{ saved: Saved }>;
    (path: `${string}/heartbeats`, body: { tab: string; rows: number[] }): Promise<{ kept: number[]; lost: number[] }>;
    (path: `${string}/releases`, body: { tab: string }, options: RequestInit): Promise<{ released: number }>;
    (path: `${string}/searches`, body: object): Promise<SearchReply>;
    (path: `${string}/like`, body: Keyed & { words: string; n: number }): Promise<{ queued: number }>;
    (
        path: `${string}/imports`,
        body: Keyed &
            (
                | { name: string; base64: string; id: string | null; label: string | null; skip_unknown: boolean }
                | { column: string }
            ),
    ): Promise<{ stored: number; left_out: number; already: number; alike: string[] }>;
    (
        path: `${string}/known`,
        body: Keyed & { labels: { id: string; label: string }[] },
    ): Promise<{ stored: number; unknown: Id[]; already: Id[]; alike: string[] }>;
    (
        path: `${string}/rows`,
        body: Keyed & { name: string; base64: string },
    ): Promise<{ added: number; rows: number }>;
    (
        path: `${string}/simulations`,
        body: Keyed & { column: string; max_labels: number },
    ): Promise<{ job: string }>;
}

export type AnswerPath = "answers" | "skips" | "undos";

export interface Put {
    (path: `${string}/settings`, body: SettingsChange): Promise<SettingsReply>;
    (path: `/api/team/users/${string}`, body: { role: string; project: string | null }): Promise<object>;
}

// --- the page's own events ------------------------------------------------------------------

/** An event of a field; a `select` and a `textarea` have `value` alone. */
export type FieldEvent = Event & { target: HTMLInputElement };

/** The event of a form with fields of these names. */
export type FormEvent<Names extends string> = Event & {
    target: HTMLFormElement & { elements: Record<Names, HTMLInputElement> };
};
