import { test as base, type BrowserContext, type BrowserContextOptions, type Page } from '@playwright/test';
import { Daemon } from '../tests/daemon';
import { probe } from './probe';

/** The kind of annotation that carries what a scene measured. */
export const MEASURED = 'measured';

/** What the bench tells about the daemon that it made. */
interface Told<About> {
    readonly root: string;
    readonly listen: string;
    /** Agents with long transcripts, and how many items those have. */
    readonly long: readonly string[];
    readonly items: number;
    /** What the scene is to do. */
    readonly about: About;
}

/** Returns what the bench tells. */
export function told<About = unknown>(): Told<About> {
    const text = process.env['PASEO_BENCH'];
    if (!text) throw new Error('scenes are played by `make bench` and `make soak`, which set PASEO_BENCH');
    return JSON.parse(text) as Told<About>;
}

/** Tells the bench what was measured. */
export function report(measured: Record<string, unknown>): void {
    base.info().annotations.push({ type: MEASURED, description: JSON.stringify(measured) });
}

interface Fixtures {
    daemon: Daemon;
    /** Opens another browser, and logs it in. */
    browse: (options?: BrowserContextOptions) => Promise<Page>;
}

/** A scene: the daemon runs already, and pages that are opened are logged in. */
export const scene = base.extend<Fixtures>({
    daemon: async ({}, use) => {
        const { root, listen } = told();
        await use(Daemon.joined(root, listen));
    },
    browse: async ({ browser, daemon }, use) => {
        const contexts: BrowserContext[] = [];
        await use(async (options) => {
            const context = await browser.newContext({
                viewport: { width: 1280, height: 800 },
                serviceWorkers: 'block',
                ...options,
            });
            contexts.push(context);
            await context.addInitScript(probe);
            const page = await context.newPage();
            await page.goto(await daemon.link());
            await page.waitForURL(/\/app$/);
            return page;
        });
        for (const context of contexts) await context.close();
    },
});

/** Returns the answer of a route. */
export async function read<Answer>(daemon: Daemon, path: string): Promise<Answer> {
    return ask(daemon, 'GET', path);
}

/** Writes to an agent. */
export async function say(daemon: Daemon, session: string, text: string): Promise<void> {
    await ask(daemon, 'POST', `/api/sessions/${session}/messages`, { text });
}

/** Calls a route. */
export async function ask<Answer>(
    daemon: Daemon,
    method: string,
    path: string,
    body?: unknown,
): Promise<Answer> {
    const headers = {
        Authorization: `Bearer ${await daemon.secret()}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(daemon.url + path, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
}
