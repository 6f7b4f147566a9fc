import { isUi, type Agent } from '../lib/wire';

/** An agent at its place in the list: below its parent. */
export interface Placed {
    readonly agent: Agent;
    /**
     * For each generation below the first, down to its own: whether another one of it follows further down. So there
     * are as many as there are agents above it.
     */
    readonly rails: readonly boolean[];
    /** Others stand below it. */
    readonly isParent: boolean;
}

/** Which agents are listed beside the open ones that the web app shows. */
export interface Scope {
    readonly background: boolean;
    readonly closed: boolean;
}

const USUAL: Scope = { background: false, closed: false };

/**
 * Puts agents in the order in which the list shows them: those with `ui=true` and, below each, the open ones that
 * descend from it, as the daemon lists them; others as far as the scope says. Side by side, those come first that ask
 * or have a descendant that asks, then those that are pinned, then the newest.
 */
export function arranged(agents: Iterable<Agent>, scope: Scope = USUAL): Placed[] {
    const all = new Map<string, Agent>();
    for (const agent of agents) if (scope.closed || agent.status !== 'closed') all.set(agent.id, agent);
    const parentOf = (agent: Agent) => (agent.parent ? all.get(agent.parent) : undefined);
    const children = new Map<string | undefined, Agent[]>();
    const asking = new Set<string>();
    for (const agent of all.values()) {
        const line = ancestry(agent, parentOf);
        if (!isListed(line, scope)) continue;
        const [, ...elders] = line;
        // An agent below itself, or below one that is not shown, is at the top.
        const nested = isListed(elders, scope) && line.at(-1)?.parent !== agent.id;
        const parent = nested ? elders[0]?.id : undefined;
        const siblings = children.get(parent);
        if (siblings) siblings.push(agent);
        else children.set(parent, [agent]);
        if (agent.ask) for (const { id } of line) asking.add(id);
    }
    const placed: Placed[] = [];
    const place = (siblings: Agent[], above?: readonly boolean[]) => {
        siblings.sort((a, b) => order(a, b, asking));
        for (const [at, agent] of siblings.entries()) {
            const rails = above ? [...above, at < siblings.length - 1] : [];
            const below = children.get(agent.id) ?? [];
            placed.push({ agent, rails, isParent: below.length > 0 });
            place(below, rails);
        }
    };
    place(children.get(undefined) ?? []);
    return placed;
}

/** Returns the family of an agent as the list has it: from the first that started others down to all of them. */
export function familyOf(placed: readonly Placed[], agent: Agent): readonly Placed[] {
    const at = placed.findIndex((each) => each.agent.id === agent.id);
    if (at < 0) return [{ agent, rails: [], isParent: false }];
    let first = at;
    while (first > 0 && placed[first]?.rails.length !== 0) first -= 1;
    const after = placed.findIndex((each, index) => index > first && each.rails.length === 0);
    return placed.slice(first, after < 0 ? undefined : after);
}

/** Says whether an agent is listed, by itself and all above it. A closed one is listed only on its own account. */
function isListed([agent, ...elders]: readonly Agent[], { background }: Scope): boolean {
    if (!agent) return false;
    if (background || isUi(agent)) return true;
    return agent.status !== 'closed' && elders.some((elder) => elder.status !== 'closed' && isUi(elder));
}

/** Returns an agent and all above it, the nearest first. */
function ancestry(agent: Agent, parentOf: (agent: Agent) => Agent | undefined): Agent[] {
    const line: Agent[] = [];
    for (let at: Agent | undefined = agent; at && !line.includes(at); at = parentOf(at)) line.push(at);
    return line;
}

function order(a: Agent, b: Agent, asking: ReadonlySet<string>): number {
    return (
        Number(asking.has(b.id)) - Number(asking.has(a.id)) ||
        (b.pinned_at ?? '').localeCompare(a.pinned_at ?? '') ||
        b.created_at.localeCompare(a.created_at) ||
        a.id.localeCompare(b.id)
    );
}
