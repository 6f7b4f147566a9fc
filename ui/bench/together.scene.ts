import { expect, type Locator, type Page } from '@playwright/test';
import type { Daemon } from '../tests/daemon';
import { Meter, pass, resident } from './stopwatch';
import { claimable, makeTeam } from './team';
import { BareClients, busiest, FLOOD, forgetMarks, MARKS, marks, watchMarks } from './terminals';
import { ask, report, scene, told } from './world';

/** The part of the time after which everything that is kept is there. */
const WARM = 0.25;
const LOOK_MS = 3000;
/** Terminals of a page that are live; others are captured. */
const LIVE = 12;

interface Wandered {
    readonly thread: string;
    readonly participants: number;
    readonly tasks: number;
}

interface About {
    readonly seconds: number;
    /** The daemon's process. */
    readonly pid: number;
    readonly participants: number;
    readonly tasks: number;
    readonly workers: number;
}

scene('a team and a thread are watched while a terminal prints without end', async ({ browse, daemon }) => {
    const { about } = told<About>();
    const milliseconds = about.seconds * 1000;
    scene.setTimeout(milliseconds + 900_000);
    const thread = await makeThread(daemon, about.participants);
    // Their processes are no growth of what is measured.
    await wake(daemon, thread, about.participants);
    const workers = await makeTeam(daemon, about.tasks, about.workers);
    const [flooding = ''] = workers;
    for (const worker of workers) await daemon.replace(worker, worker === flooding ? FLOOD : MARKS);

    // High enough for all terminals: those that nobody sees are not live.
    const terminals = await browse({ viewport: { width: 1440, height: 3600 } });
    await terminals.addInitScript(watchMarks);
    await terminals.goto(`${daemon.url}/app/teams/red`);
    await showTerminals(terminals);
    await expect.poll(async () => (await watched(terminals)).length, { timeout: 120_000 }).toBe(LIVE);
    const live = await watched(terminals);
    // Beside others only, there would be nothing that delays them.
    expect(live).toContain(flooding);
    await expect(captured(terminals)).toHaveCount(workers.length - LIVE);
    const wanderer = await browse({ viewport: { width: 1440, height: 900 } });
    const bare = new BareClients(
        daemon,
        live.filter((worker) => worker !== flooding),
    );

    const began = Date.now();
    const walking = wander(
        wanderer,
        daemon,
        { thread, participants: about.participants, tasks: about.tasks },
        began + milliseconds,
    );
    await pass(milliseconds * WARM);
    await forgetMarks(terminals);
    await bare.late();
    const meter = await Meter.of(terminals);
    const heapBefore = await meter.heap();
    const residentBefore = resident(about.pid);
    await walking;
    // All of them were live for all of the time, and no others.
    expect(await watched(terminals)).toEqual(live);
    await expect(captured(terminals)).toHaveCount(workers.length - LIVE);
    expect(await busiest(terminals)).toContain(`/${flooding}/`);
    const seen = await marks(terminals);
    const bareSeen = await bare.late();
    await bare.stop();
    const [heapAfter, residentAfter] = [await meter.heap(), resident(about.pid)];
    const longest = [
        ['terminals', await longestTask(terminals, began)] as const,
        ['board and thread', await longestTask(wanderer, began)] as const,
    ].reduce((one, other) => (other[1] > one[1] ? other : one));
    // Each mark has to arrive at both, or the comparison is of nothing.
    expect(seen.length).toBeGreaterThan(0.5 * bareSeen.length);
    report({
        late: percentile(seen, 0.99),
        bareLate: percentile(bareSeen, 0.99),
        live: LIVE,
        captured: workers.length - LIVE,
        longest: longest[1],
        doing: longest[0],
        heapBefore,
        heapAfter,
        residentBefore,
        residentAfter,
    });
});

/** Makes a thread with agents in it. Returns its id. */
async function makeThread(daemon: Daemon, participants: number): Promise<string> {
    const { thread } = await ask<{ thread: { id: string } }>(daemon, 'POST', '/api/threads', {
        name: 'planning',
        directory: daemon.work,
    });
    for (let number = 0; number < participants; number++)
        await ask(daemon, 'POST', `/api/threads/${thread.id}/controls`, {
            invite: {
                participant_id: `agent-${number}`,
                profile: { client: 'scripted', model: 'default', nickname: `nick-${number}` },
            },
        });
    return thread.id;
}

/** Has each participant answer once, so that all of them are awake. */
async function wake(daemon: Daemon, thread: string, participants: number): Promise<void> {
    for (let number = 0; number < participants; number++) {
        await ask(daemon, 'POST', `/api/threads/${thread}/messages`, {
            text: `@agent-${number} <<say awake ${number}>>`,
            to: `agent-${number}`,
        });
        const path = `/api/threads/${thread}/events?limit=20`;
        const answered = async () => {
            const { events } = await ask<{ events: { from: string; type: string }[] }>(daemon, 'GET', path);
            return events.some(({ from, type }) => from === `agent-${number}` && type === 'message');
        };
        await expect.poll(answered, { timeout: 60_000 }).toBe(true);
    }
}

async function showTerminals(page: Page): Promise<void> {
    await page
        .getByRole('group', { name: 'Parts of the page' })
        .getByRole('button', { name: /^Terminals/ })
        .click();
}

/** Returns the workers whose terminals are live, in the order of the page. */
async function watched(page: Page): Promise<string[]> {
    const live = page
        .locator('[data-worker]')
        .filter({ has: page.getByRole('status').filter({ hasText: /^Watching$/ }) });
    return live.evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset['worker'] ?? ''));
}

/** The terminals that are captured. */
function captured(page: Page): Locator {
    return page.getByRole('status').filter({ hasText: 'Updated every few seconds' });
}

/**
 * Looks at the board and the thread in turns. Each time, a task is claimed and released while the board is looked at, and
 * something is said in the thread.
 */
async function wander(page: Page, daemon: Daemon, about: Wandered, until: number): Promise<void> {
    for (let round = 1; Date.now() < until; round++) {
        await section(page, 'Teams').click();
        await page.getByRole('link', { name: /^red/ }).first().click();
        await expect(page.locator('[data-task]').first()).toBeVisible();
        await changeBoard(page, daemon, claimable(round, about.tasks));
        await section(page, 'Threads').click();
        await page
            .getByRole('link', { name: /planning/ })
            .first()
            .click();
        await ask(daemon, 'POST', `/api/threads/${about.thread}/messages`, {
            text: `@agent-${round % about.participants} <<say heard ${round}>>`,
        });
        await expect(page.locator('li[data-kind="message"]').last()).toContainText(`heard ${round}`);
        await pass(LOOK_MS);
    }
}

/** Claims a task and releases it again: every page with the board reads it again, and shows it. */
async function changeBoard(page: Page, daemon: Daemon, task: string): Promise<void> {
    const path = `/api/teams/red/tasks/${task}`;
    const held = page.getByRole('region', { name: /^In progress/ }).locator(`[data-task="${task}"]`);
    const claimed = await ask<{ task: { epoch: number } }>(daemon, 'POST', `${path}/claim`, {});
    await expect(held).toBeVisible();
    await pass(LOOK_MS);
    await ask(daemon, 'POST', `${path}/release`, { epoch: claimed.task.epoch });
    await expect(held).toHaveCount(0);
}

function section(page: Page, name: string) {
    return page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('link', { name: new RegExp(`^${name}`) });
}

async function longestTask(page: Page, since: number): Promise<number> {
    const tasks = await page.evaluate(() => window.probe.tasks);
    return Math.max(0, ...tasks.filter(({ at }) => at >= since).map(({ value }) => value));
}

function percentile(values: readonly number[], share: number): number {
    const sorted = [...values].sort((one, other) => one - other);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
