// @ts-check
/** The address of a view: `#/project/view`, so that links, reloads and the back button work. */
import { useEffect, useState } from "./dom.js";

/** @returns {string[]} parts of the address after `#/` */
function address() {
    try {
        return location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map(decodeURIComponent);
    } catch {
        return []; // a damaged link
    }
}

/** @param {string} project @param {string} view */
export const linkTo = (project, view) => `#/${encodeURIComponent(project)}/${view}`;

export function useAddress() {
    const [parts, setParts] = useState(address());
    useEffect(() => {
        const follow = () => setParts(address());
        addEventListener("hashchange", follow);
        return () => removeEventListener("hashchange", follow);
    }, []);
    return parts;
}
