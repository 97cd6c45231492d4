// @ts-check
/** Shares of the rare rows, as people read and choose them. */

const USUAL = [0.5, 0.8, 0.9, 0.95];

/** Rounded down, so that never more is said than is proved. @param {number} value */
export const percent = (value) => `${(Math.floor(value * 1000 + 1e-9) / 10).toLocaleString("en")} %`;

/** Recalls to choose from: the usual ones, and the one that is set. @param {number|null|undefined} own */
export const recalls = (own) => [...new Set([...USUAL, own ?? USUAL[0]])].sort((a, b) => a - b);

/** When the rows are asked that prove a recall. @param {string} goal @param {string} stop */
export function proofStart(goal, stop) {
    const dry = "rows that look rare hardly ever turn out to be rare";
    if (goal === "find") return `Random rows for the proof are asked once ${dry}.`;
    if (stop === "never")
        return "Random rows for the proof are asked last, because the model never has learned enough: choose another rule to stop, or the goal to find rows.";
    return `Random rows for the proof are asked once the model has learned enough, no class is new, and ${dry}.`;
}
