import { isUi, type Agent } from './wire';

/** An agent at its place in the list: below whoever started it. */
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

/**
 * Puts open agents in the order in which the list shows them: those with `ui=true` and, below each, those that
 * descend from it. Side by side, those come first that ask or have somebody below who asks, then those that are
 * pinned, then the newest.
 */
export function arranged(agents: Iterable<Agent>): Placed[] {
    const open = new Map<string, Agent>();
    for (const agent of agents) if (agent.status !== 'closed') open.set(agent.id, agent);
    const parentOf = (agent: Agent) => (agent.parent ? open.get(agent.parent) : undefined);
    const children = new Map<string | undefined, Agent[]>();
    const asking = new Set<string>();
    for (const agent of open.values()) {
        const line = ancestry(agent, parentOf);
        if (!line.some(isUi)) continue;
        const [, ...elders] = line;
        // Who is below itself, or below somebody who is not shown, stands on its own.
        const nested = elders.some(isUi) && line.at(-1)?.parent !== agent.id;
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
