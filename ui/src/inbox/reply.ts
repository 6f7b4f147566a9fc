import { route } from '../shell/route.svelte';

let wanted: string | undefined;

/** Opens an agent to write to it. */
export function replyTo(agent: string): void {
    wanted = agent;
    route.follow(agent);
}

/** Says, once, whether a person opened an agent to write to it. */
export function takeReply(agent: string): boolean {
    const is = wanted === agent;
    wanted = undefined;
    return is;
}
