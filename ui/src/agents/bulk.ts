import { shownName, type Agent } from '../lib/wire';

/** Why something could not be done to an agent. */
export interface Failed {
    readonly id: string;
    readonly name: string;
    readonly why: string;
}

export interface Outcome {
    /** The agents to which it was done. */
    readonly done: readonly string[];
    readonly failed: readonly Failed[];
}

/** Does something to agents, one after the other; a failure does not keep the others from it. */
export async function forEach(
    agents: readonly Agent[],
    act: (agent: Agent) => Promise<void>,
    explain: (error: unknown) => string,
    progress: (done: number) => void = () => {},
): Promise<Outcome> {
    const done: string[] = [];
    const failed: Failed[] = [];
    for (const agent of agents) {
        progress(done.length + failed.length);
        try {
            await act(agent);
            done.push(agent.id);
        } catch (error) {
            failed.push({ id: agent.id, name: shownName(agent), why: explain(error) });
        }
    }
    return { done, failed };
}

/** What would be lost with agents. */
export interface Loss {
    readonly turns: number;
    /** Messages that they have not read. */
    readonly waiting: number;
    /** How many are in the middle of a turn. */
    readonly busy: number;
    /** How many open agents end with them. */
    readonly children: number;
    /** How many have a worktree, which stays. */
    readonly worktrees: number;
}

export function lossOf(agents: readonly Agent[], busy: (agent: Agent) => boolean): Loss {
    const ids = new Set(agents.map(({ id }) => id));
    const sum = (of: (agent: Agent) => number) => agents.reduce((all, agent) => all + of(agent), 0);
    return {
        turns: sum((agent) => agent.turns),
        waiting: sum((agent) => agent.queued + agent.held),
        busy: agents.filter(busy).length,
        // Those that are deleted themselves are not counted twice.
        children: sum((agent) => (agent.children ?? []).filter((child) => !ids.has(child)).length),
        worktrees: agents.filter((agent) => agent.worktree).length,
    };
}

/** Says what is lost, one sentence each, for people. */
export function lossWords(loss: Loss, count: number): string[] {
    const [its, it, transcript] =
        count === 1 ? ['Its', 'it', 'transcript'] : ['Their', 'them', 'transcripts'];
    const words = [
        loss.turns > 0
            ? `${its} ${transcript} of ${plural(loss.turns, 'turn')} will be deleted. This cannot be undone.`
            : `${its} ${transcript} will be deleted. This cannot be undone.`,
    ];
    const turns = loss.busy === 1 ? 'the current turn is stopped' : 'the current turns are stopped';
    if (loss.busy > 0) words.push(`${count === 1 ? 'It is' : plural(loss.busy, 'agent')} working: ${turns}.`);
    if (loss.waiting > 0)
        words.push(
            `${plural(loss.waiting, 'message')} waiting for ${it} ${loss.waiting === 1 ? 'is' : 'are'} lost.`,
        );
    if (loss.children > 0)
        words.push(
            `${plural(loss.children, 'agent')} started by ${it} ${loss.children === 1 ? 'is' : 'are'} closed.`,
        );
    words.push(loss.worktrees > 0 ? 'Files and worktrees stay.' : 'Files stay as they are.');
    return words;
}

export function plural(count: number, word: string): string {
    return `${count} ${word}${count === 1 ? '' : 's'}`;
}
