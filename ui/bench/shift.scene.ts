import { expect, type BrowserContextOptions, type Page } from '@playwright/test';
import type { Daemon } from '../tests/daemon';
import { asked, decide, request, requests, shifted, shown } from './requests';
import { pass } from './stopwatch';
import { report, scene } from './world';

const TIMES = 5;
/** As long as anything may go on moving after a request has come. */
const SETTLED_MS = 500;
const PHONE: BrowserContextOptions = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
};

/** Where a person is when a request comes. */
interface Place {
    readonly name: string;
    readonly browser?: BrowserContextOptions;
    /** Requests that wait before. */
    readonly waiting: number;
    /** The page has cards. */
    readonly cards: boolean;
    readonly go: (page: Page, asker: string) => Promise<void>;
}

const inbox = async (page: Page) => {
    await page.goto(new URL('/app', page.url()).href);
    await expect(page.getByRole('region', { name: 'Finished since you looked' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Working' })).toContainText('asker');
};
const list = async (page: Page) => {
    await page.goto(new URL('/app/agents', page.url()).href);
    await expect(page.locator('[data-agent]').first()).toBeVisible();
};
const agent = async (page: Page, asker: string) => {
    await page.goto(new URL(`/app/agents/${asker}`, page.url()).href);
    await expect(page.locator('li[data-kind="answer"]').last()).toContainText('ready');
    await expect(page.locator('li[data-kind="tool"]')).toBeVisible();
};

const PLACES: readonly Place[] = [
    { name: 'inbox, first request', waiting: 0, cards: true, go: inbox },
    { name: 'inbox, second request', waiting: 1, cards: true, go: inbox },
    { name: 'inbox on a phone, first request', browser: PHONE, waiting: 0, cards: true, go: inbox },
    { name: 'inbox on a phone, second request', browser: PHONE, waiting: 1, cards: true, go: inbox },
    { name: 'list of agents', waiting: 0, cards: false, go: list },
    { name: 'agent that asks', waiting: 0, cards: false, go: agent },
    { name: 'agent that asks, on a phone', browser: PHONE, waiting: 0, cards: false, go: agent },
];

scene('nothing moves when a request comes', async ({ browse, daemon }) => {
    const shifts: Record<string, number> = {};
    const times: number[] = [];
    for (const place of PLACES) {
        const page = await browse(place.browser);
        await settle(daemon, place.waiting);
        shifts[place.name] = 0;
        for (let time = 0; time < TIMES; time++) {
            const gate = `gate-${place.name.replaceAll(/\W+/g, '-')}-${time}`;
            // It works before, and goes on to ask.
            const prompt = `<<say ready>>${until(gate)}<<ask May I publish version ${time}?>>`;
            const asker = await daemon.create({ name: 'asker', labels: { ui: 'true' }, prompt });
            await place.go(page, asker);
            await pass(SETTLED_MS);
            const before = Date.now();
            await daemon.touch(gate);
            const request = await asked(daemon, asker);
            if (place.cards) times.push(await shown(page, request));
            await pass(SETTLED_MS);
            shifts[place.name] = Math.max(shifts[place.name] ?? 0, await shifted(page, before));
            await decide(daemon, request);
            await daemon.paseo('wait', asker);
        }
        await page.context().close();
    }
    const [where, shift] = Object.entries(shifts).reduce((one, other) => (other[1] > one[1] ? other : one));
    report({ shift, where, shifts, shown: times });
});

/** Returns a step that waits for a file. */
function until(file: string): string {
    return `<<sh until [ -e ${file} ]; do sleep 0.02; done>>`;
}

/** Leaves so many requests open. */
async function settle(daemon: Daemon, waiting: number): Promise<void> {
    const open = await requests(daemon);
    for (const one of open.slice(waiting)) await decide(daemon, one);
    for (let number = open.length; number < waiting; number++) await request(daemon, `waits ${number}`);
}
