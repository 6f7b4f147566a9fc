import { expect } from '@playwright/test';
import type { Sight } from './probe';
import { request, shifted, shown } from './requests';
import { pass, reloaded, timed, watchLoads } from './stopwatch';
import { report, scene } from './world';

const TIMES = 11;
const REQUESTS = 20;
/** As long as anything may go on moving after a request has come. */
const SETTLED_MS = 500;

scene(
    'the inbox of many agents is opened, and requests come while it is there',
    async ({ browse, daemon }) => {
        const page = await browse();
        const sights: Sight[] = [
            { selector: 'section[aria-label="Needs you"] li:first-child' },
            { selector: 'section[aria-label="Needs you"] li:nth-child(50)', anywhere: true },
            { selector: 'section[aria-label="Finished since you looked"] li', anywhere: true },
        ];
        const [inbox, agents] = [/^Inbox/, /^Agents$/].map((name) =>
            page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }),
        );
        const opened: number[] = [];
        for (let time = 0; time <= TIMES; time++) {
            await agents!.click();
            await expect(page.locator('[data-agent]').first()).toBeVisible();
            opened.push(await timed(page, 'click', sights, () => inbox!.click()));
        }
        await watchLoads(page, sights);
        const loaded: number[] = [];
        for (let time = 0; time < TIMES; time++) loaded.push(await reloaded(page));
        const times: number[] = [];
        let shift = 0;
        for (let number = 0; number < REQUESTS; number++) {
            const before = Date.now();
            times.push(await shown(page, await request(daemon, `later ${number}`)));
            await pass(SETTLED_MS);
            shift = Math.max(shift, await shifted(page, before));
        }
        report({ opened: opened.slice(1), loaded, shown: times, shift });
    },
);
