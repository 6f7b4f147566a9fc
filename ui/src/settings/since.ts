import { ago } from '../lib/clock.svelte';

/** Says when something was, in a sentence. */
export function since(moment: string, now: number): string {
    const words = ago(moment, now);
    return words === 'now' ? 'just now' : `${words} ago`;
}
