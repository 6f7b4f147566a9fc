/** No handle is shorter. */
const SHORTEST = 4;

/** Says whether two agents are alike enough for the handle of one to depend on the other. Which it is, the daemon says. */
export function isAlike(one: string, other: string): boolean {
    return one !== other && one.slice(0, SHORTEST) === other.slice(0, SHORTEST);
}
