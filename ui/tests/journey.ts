import { expect, test, type App } from './app';
import type { PageName } from '../src/shell/routes';
import type { Daemon } from './daemon';
import { visit } from './pages';

/** The two who look: one at a desk, one on the way. */
export interface Both {
    readonly desk: App;
    readonly phone: App;
    readonly daemon: Daemon;
}

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const offline = (app: App) => app.page.getByText('No connection to the daemon');

/** A way through a page, with the daemon killed in the middle. */
export interface Journey {
    readonly page: PageName;
    /** What has to be there before; returns the address of the page, which may depend on it. */
    readonly at: string | ((daemon: Daemon) => Promise<string>);
    /** What one of them does. */
    readonly before?: (both: Both) => Promise<void>;
    /** What both see. It holds before the daemon is killed, and afterwards without a reload. */
    readonly see: (app: App) => Promise<void>;
    /** What one of them, or somebody in a terminal, does after that, and what both see of it without a reload. */
    readonly after?: (both: Both) => Promise<void>;
    readonly then?: (app: App) => Promise<void>;
}

export async function journey(both: Both, { page, at, before, see, after, then }: Journey): Promise<void> {
    await test.step(page, async () => {
        const { desk, phone, daemon } = both;
        const path = typeof at === 'string' ? at : await at(daemon);
        for (const app of [desk, phone]) await visit(app.page, path);
        await before?.(both);
        for (const app of [desk, phone]) await see(app);
        // What is on the screen stays there while the daemon is gone; only then is its return worth anything.
        await daemon.kill(async () => {
            for (const app of [desk, phone]) await expect(offline(app)).toBeVisible();
        });
        for (const app of [desk, phone]) {
            await expect(offline(app)).toHaveCount(0);
            await see(app);
        }
        await after?.(both);
        if (then) for (const app of [desk, phone]) await then(app);
        for (const app of [desk, phone]) {
            const wide = await app.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            expect(wide, `${page}: nothing sticks out`).toBe(false);
        }
    });
}
