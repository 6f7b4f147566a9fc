import { explain } from '../lib/client';
import type { Agent } from '../lib/wire';
import type { AgentAction } from './actions';
import { perform } from './lifecycle';
import { listing } from './listing.svelte';

/**
 * Does what a person chose for an agent, or asks before. Why it failed, its row says, or its header when that is where
 * it was chosen.
 */
export async function doTo(
    { id: action, label }: AgentAction,
    agent: Agent,
    inHeader: boolean,
): Promise<void> {
    const { id } = agent;
    listing.problems.delete(id);
    listing.headerProblem = undefined;
    switch (action) {
        case 'rename':
            if (inHeader) listing.retitling = id;
            else listing.renaming = id;
            return;
        case 'select':
            return listing.select(id);
        case 'label':
        case 'options':
        case 'clear':
        case 'delete':
            listing.asking = { what: action, agents: [id] };
            return;
        default:
            break;
    }
    try {
        await perform(action, agent);
    } catch (error) {
        const words = `${label} failed: ${explain(error)}`;
        if (inHeader) listing.headerProblem = { agent: id, words };
        else listing.problems.set(id, words);
    }
}
