import type { SearchHit } from '../lib/wire';

/** What the daemon takes beside the words. */
export interface Query {
    readonly kind?: SearchHit['kind'][];
    readonly from?: string;
    readonly since?: string;
    readonly directory?: string;
}

/** A choice that narrows a search: its word in the address, and for people. */
export type Choice = readonly [value: string, words: string];

export const KINDS: readonly (readonly [value: SearchHit['kind'] | '', words: string])[] = [
    ['', 'Any kind'],
    ['said', 'Messages'],
    ['answered', 'Answers'],
    ['tool', 'Tool calls'],
    ['name', 'Names'],
];

export const WHO: readonly Choice[] = [
    ['', 'Anyone'],
    ['me', 'People'],
];

export const WHEN: readonly Choice[] = [
    ['', 'Any time'],
    ['1', 'Last day'],
    ['7', 'Last 7 days'],
    ['30', 'Last 30 days'],
];

const DAY_MS = 24 * 60 * 60 * 1000;

/** Reads the choices out of an address. Words that are not there count as none. */
export function narrowed(address: URLSearchParams, now: number): Query {
    const one = (name: string, choices: readonly Choice[]) => {
        const value = address.get(name) ?? '';
        return value !== '' && choices.some(([known]) => known === value) ? value : undefined;
    };
    const kind = KINDS.map(([value]) => value).find((value) => value !== '' && value === address.get('kind'));
    const days = one('when', WHEN);
    const from = address.get('from') || undefined;
    const directory = address.get('project') || undefined;
    return {
        ...(kind && { kind: [kind] }),
        ...(from && { from }),
        // Rounded, so that the same search is the same request for a while.
        ...(days && {
            since: new Date(Math.floor(now / 60_000) * 60_000 - Number(days) * DAY_MS).toISOString(),
        }),
        ...(directory && { directory }),
    };
}
