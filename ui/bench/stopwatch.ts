import { readFileSync } from 'node:fs';
import type { CDPSession, Page } from '@playwright/test';
import type { Sight } from './probe';

/** Returns the milliseconds from what a person does to the first frame that shows what they want to see. */
export async function timed(
    page: Page,
    on: 'click' | 'keydown',
    sights: readonly Sight[],
    act: () => Promise<unknown>,
): Promise<number> {
    const waiting = await page.evaluateHandle(
        ({ on, sights }) => ({
            took: new Promise<number>((resolve) =>
                addEventListener(
                    on,
                    ({ timeStamp }) =>
                        void window.probe.seen(sights).then((seen) => resolve(seen - timeStamp)),
                    { capture: true, once: true },
                ),
            ),
        }),
        { on, sights },
    );
    await act();
    return waiting.evaluate(({ took }) => took);
}

/** Makes every load of a page from now on note when something is there. */
export async function watchLoads(page: Page, sights: readonly Sight[]): Promise<void> {
    await page.addInitScript((sights) => {
        window.loaded = window.probe.seen(sights);
    }, sights);
}

/** Loads a page again, and returns the milliseconds until that is there. */
export async function reloaded(page: Page): Promise<number> {
    await page.reload();
    return page.evaluate(() => window.loaded ?? Promise.reject(new Error('nothing is waited for')));
}

/** Reads what the browser counts about a page. */
export class Meter {
    private constructor(
        private readonly session: CDPSession,
        private readonly browser: CDPSession,
    ) {}

    static async of(page: Page): Promise<Meter> {
        const browser = page.context().browser();
        if (!browser) throw new Error('the page has no browser of its own');
        return new Meter(await page.context().newCDPSession(page), await browser.newBrowserCDPSession());
    }

    /**
     * Returns how long the processor has worked for the pages of the browser, in seconds: for all threads of their
     * processes, such as those that draw and the workers, not only for the main ones.
     */
    async worked(): Promise<number> {
        const { processInfo } = await this.browser.send('SystemInfo.getProcessInfo');
        const pages = processInfo.filter(({ type }) => type === 'renderer');
        if (pages.length === 0) throw new Error('no process of a page is known');
        return pages.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    }

    /** Returns the bytes that are still in use after what is not was collected. */
    async heap(): Promise<number> {
        for (let time = 0; time < 2; time++) await this.session.send('HeapProfiler.collectGarbage');
        return (await this.session.send('Runtime.getHeapUsage')).usedSize;
    }
}

/** Waits for a while: a scene that measures time needs some. */
export function pass(milliseconds: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns how much memory a process has, in megabytes. */
export function resident(pid: number): number {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? NaN) / 1024;
}
