/**
 * What the server sends and takes, as `rarebit.server` writes it. For the type check alone (`make types`):
 * browsers never load this file, and it is not installed.
 */

export type Role = "owner" | "annotator" | "viewer";
export type Id = string | number;

export interface Me {
    signed_in: boolean;
    /** Null without a session, "" where there are no accounts. */
    name: string | null;
    role: Role | null;
    team: boolean;
    version: string;
}

export interface ProjectEntry {
    name: string;
    title: string;
    role: Role;
    state: "starting" | "ready" | "failed";
    message: string;
    rows: number | null;
    labels: number | null;
}

// --- rows -----------------------------------------------------------------------------------

export interface Picture {
    name: string;
    url: string;
}

export interface Cell {
    name: string;
    kind: string;
    value: string | number | boolean | null;
    shown: string;
    unusual: string | null;
}

export interface Opinion {
    class: string;
    scores: Record<string, number>;
}

export interface Highlight {
    word: string;
    class: string;
    weight: number;
}

export interface Row {
    row: number;
    id: Id;
    title: string | null;
    text: string | null;
    text_name: string | null;
    cells: Cell[];
    images: Picture[];
    opinion: Opinion | null;
    highlights: Highlight[];
    note: string;
}

export interface Why {
    row: number;
    reason: string;
    sentence: string;
    /** `agrees` is null where the row was skipped. */
    opinion: (Opinion & { agrees: boolean | null }) | null;
    neighbours: { row: number; id: Id; label: string; distance: number; summary: string; images: Picture[] }[];
    pushes: { said: string; class: string; weight: number }[];
    balance: string;
    learned: boolean;
}

// --- answers --------------------------------------------------------------------------------

export interface StoredEvent {
    number: number;
    row: number;
    id: Id;
    what: string;
    /** Null for a skip, an undo and a note. */
    label: string | null;
    annotator: string;
    at: string;
    reason: string;
    note: string;
    source: string;
}

export interface StandingAnswer extends StoredEvent {
    counts: string | null;
    model: string | null;
    doubt: number | null;
    summary: string;
    images: Picture[];
}

export interface AnswerList {
    total: number;
    hidden: number;
    annotators: string[];
    answers: StandingAnswer[];
}

export interface Saved {
    number: number;
    row: number;
    id: Id;
    what: string;
    label: string | null;
}

export type Undone = Pick<Saved, "row" | "id" | "label"> & {
    /** The label that stands again, where a correction was taken back. */
    again: string | null;
};

export interface BriefProgress {
    labels: number;
    skipped: number;
    rows: number;
    mine: number;
    classes: { name: string; labelled: number }[];
    stop_advised: boolean;
    search: string;
    behind: number;
    learner: string;
}

/** The rows to answer now. Which of `saved` and `undone` it has depends on what was sent. */
export interface Hand {
    questions: Row[];
    front: number[];
    waiting: boolean;
    done: boolean;
    message: string;
    progress: BriefProgress;
    saved?: Saved & { new_class: boolean };
    undone?: Undone[];
}

// --- progress -------------------------------------------------------------------------------

export interface Forecast {
    recall: number | null;
    labels_left: number | null;
    seconds_left: number | null;
    sentence: string;
}

export interface CurvePoint {
    labels: number;
    found: number;
    rare_found: number;
}

export interface Proof {
    rare: string;
    confidence: number;
    target: number | null;
    recall_min: number;
    total_max: number;
    audits: number;
    hits: number;
    sentence: string;
}

export interface Status {
    rows: number;
    labels: number;
    classes: {
        class: string;
        labelled: number;
        first_seen_at: number;
        first_row: Id;
        colour: string;
        key: string;
    }[];
    labels_by_annotator: Record<string, number>;
    stop: { advised: boolean; sentence: string };
    sentences: string[];
    guarantee: Proof | null;
    computing: boolean;
    target: number | null;
    goal: string;
    stop_rule: string;
    audited: boolean;
    curve: (CurvePoint & { agreement: number | null })[];
    time_per_label: { median_seconds: number | null; by_annotator: Record<string, number> };
    forecast: Forecast | null;
    kept: string;
}

export interface PoolMap {
    state: "starting" | "ready";
    n_rows: number;
    sampled: boolean;
    row: number[];
    x: number[];
    y: number[];
    label: (string | null)[];
    score: number[] | null;
    grid: Grid | null;
    rare: string | null;
}

export interface Grid {
    x0: number;
    x1: number;
    y0: number;
    y1: number;
    nx: number;
    ny: number;
    score: number[];
}

/** A job of the project, such as a simulation. */
export interface Job {
    job: string;
    state: "running" | "done" | "failed";
    progress: number;
    message: string;
    result: Trial | null;
}

export interface Trial {
    classes: { class: string; rows: number; first_seen_at: number | null; at_random: number; rare: boolean }[];
    curve: CurvePoint[];
    sentence: string;
}

// --- search ---------------------------------------------------------------------------------

export interface Column {
    name: string;
    kind: string;
}

export interface Condition {
    column: string;
    op: string;
    value?: string | number;
}

export interface SearchReply {
    total: number;
    rows: {
        row: number;
        id: Id;
        summary: string;
        label: string | null;
        score: number | null;
        images: Picture[];
    }[];
    columns: Column[];
}

export interface RowReply {
    row: Row;
    mine: StoredEvent | null;
    answers: StoredEvent[];
}

// --- settings and team ----------------------------------------------------------------------

export interface ClassSetting {
    name: string;
    colour: string;
    key: string;
}

export interface SettingsReply {
    version: number;
    guidelines: string;
    classes: ClassSetting[];
    rare: string[];
    normal: string[];
    rare_sentence: string;
    model_sentence: string;
    goal: string;
    target: number | null;
    stop: string;
    overlap: number;
    rule: string;
    opinion: boolean;
    max_labels: number | null;
    columns: Column[];
    targets: string[];
    id_name: string | null;
    has_row_file: boolean;
}

export interface SettingsChange {
    version: number;
    guidelines?: string;
    classes?: { name: string; colour: string | null; key: string | null }[];
    rare?: string[];
    normal?: string[];
    goal?: string;
    target?: number | null;
    stop?: string;
    overlap?: number;
    rule?: string;
    opinion?: boolean;
    max_labels?: number | null;
}

export interface PersonHere {
    name: string;
    role: Role | null;
    here: boolean;
    last_seen: string | null;
    labels: number;
}

export interface Interval {
    value: number;
    low: number;
    high: number;
}

export interface Agreement {
    rows: number;
    raw: Interval | null;
    cohen: ({ a: string; b: string; rows: number } & Interval)[];
    krippendorff: Interval | null;
    fleiss: Interval | null;
    sentence: string;
}

export interface Disagreement {
    row: Row;
    answers: StoredEvent[];
}

export interface User {
    name: string;
    role: Role | null;
    projects: Record<string, Role>;
}

export interface TeamReply {
    users: User[];
    invitations: { id: string; role: Role; project: string | null; until: string }[];
    everywhere: boolean;
}

// --- live events ----------------------------------------------------------------------------

/** The newest of each kind of event, and when it came (milliseconds). */
export interface Live {
    connected: boolean;
    progress?: BriefProgress;
    progressAt?: number;
    questionsAt?: number;
    learner?: { state: string; message: string };
    peopleAt?: number;
    settings?: { version: number };
    job?: Job;
    closing?: object;
}

/** What every view gets. */
export interface ViewProperties {
    project: string;
    role: Role;
    me: Me;
    live: Live;
}
