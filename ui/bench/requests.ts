import { expect, type Page } from '@playwright/test';
import type { Daemon } from '../tests/daemon';
import { ask, read } from './world';

/** A permission request, as far as scenes need it. */
export interface Request {
    readonly session: string;
    readonly hash: string;
    readonly since: string;
}

/** Returns all open requests. */
export async function requests(daemon: Daemon): Promise<Request[]> {
    const all: Request[] = [];
    for (let after = ''; ;) {
        const query = after ? `?after=${encodeURIComponent(after)}` : '';
        const page = await read<{ asks: Request[]; next?: string | null }>(
            daemon,
            `/api/permissions${query}`,
        );
        all.push(...page.asks);
        if (!page.next) return all;
        after = page.next;
    }
}

/** Waits until an agent asks. */
export async function asked(daemon: Daemon, session: string): Promise<Request> {
    let found: Request | undefined;
    await expect
        .poll(async () => (found = (await requests(daemon)).find((request) => request.session === session)), {
            intervals: [50],
        })
        .toBeDefined();
    return found!;
}

/** Starts an agent that asks for permission, and waits until it does. */
export async function request(daemon: Daemon, name: string): Promise<Request> {
    const prompt = `<<ask May I publish ${name}?>>`;
    return asked(daemon, await daemon.create({ name, labels: { ui: 'true' }, prompt }));
}

/** Answers a request. */
export async function decide(daemon: Daemon, { session, hash }: Request): Promise<void> {
    await ask(daemon, 'POST', `/api/sessions/${session}/permissions/${hash}`, { allow: true });
}

/** Returns the milliseconds from the event of a request to the frame that shows its card. */
export async function shown(page: Page, { hash, since }: Request): Promise<number> {
    const at = await page.waitForFunction((hash) => window.probe.cards.get(hash), hash);
    return ((await at.jsonValue()) ?? NaN) - Date.parse(since);
}

/** Returns how much has moved on a page since a time, as the browser counts it. */
export async function shifted(page: Page, since: number): Promise<number> {
    return page.evaluate(
        (since) => window.probe.shifts.reduce((sum, { value, at }) => (at >= since ? sum + value : sum), 0),
        since,
    );
}
