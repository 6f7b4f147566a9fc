import { expect, gate, test } from './app';
import { team, TeamPage } from './teams';
import { longestTask } from './trace';

// The recording of a test copies the whole document at each step, as a task of the page.
test.use({ trace: 'off' });

/** The longest task in milliseconds after which a page still seems to answer at once. */
const LONGEST = 200;

test('five hundred agents are no burden', async ({ app, daemon, browser }) => {
    test.slow();
    const { page } = app;
    for (let batch = 0; batch < 25; batch++)
        await Promise.all(
            Array.from({ length: 20 }, (_, at) =>
                daemon.create({
                    name: `agent ${batch * 20 + at}`,
                    labels: { ui: 'true', batch: String(batch) },
                    worktree: false,
                }),
            ),
        );
    const all = async (heading: string) => {
        await expect(page.getByRole('button', { name: heading })).toBeVisible({ timeout: 60_000 });
        await expect(app.rows).toHaveCount(500);
    };
    await page.reload();
    await all('work 500');
    const longest = await longestTask(browser, page, async () => {
        await page.reload();
        await all('work 500');
        await page.getByRole('textbox', { name: 'Filter agents' }).pressSequentially('batch=7');
        await expect(page.getByRole('search').getByRole('status')).toHaveText('20 of 500');
        await expect(app.rows).toHaveCount(20);
        await page.getByRole('button', { name: 'Clear the filter' }).click();
        await all('work 500');
        await page.getByRole('button', { name: /^Group by/ }).click();
        await page.getByRole('menuitemradio', { name: 'Status' }).click();
        await all('Idle 500');
    });
    expect(longest).toBeLessThanOrEqual(LONGEST);

    // Keys and selection reach rows that are not drawn yet.
    await page.getByRole('button', { name: /^Group by/ }).click();
    await page.getByRole('menuitemradio', { name: 'Project' }).click();
    await app.rows.first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('End');
    await all('work 500');
    await expect(app.rows.last()).toBeFocused();
    await expect(app.rows.last()).toBeInViewport();
    await app.rows.last().click({ modifiers: ['Shift'] });
    await expect(page.getByRole('toolbar', { name: 'Selected agents' })).toContainText('500 selected');
});

/** Something that the daemon lists. */
type Listed = Record<string, unknown>;

test('an inbox with 200 requests and 500 agents at work is no burden', async ({ app, daemon, browser }) => {
    const { page } = app;
    await daemon.agent('asker', '<<ask May I publish it, and tell everybody who waits for it?>>');
    await daemon.agent('worker', gate('never'));
    await expect(app.row('worker')).toContainText('running');
    await expect(app.row('asker')).toContainText('asks you');
    const read = <T>(path: string) =>
        page.evaluate(async (path) => (await (await fetch(path)).json()) as T, path);
    const permissions = await read<{ asks: Listed[] }>('/api/permissions');
    const inbox = await read<{ working: { agent: Listed }[]; counts: Listed }>('/api/inbox');
    const since = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
    const asks = Array.from({ length: 200 }, (_, at) => ({
        ...permissions.asks[0],
        hash: `hash${at}`,
        since: since(at),
    }));
    const entry = inbox.working[0]!;
    // As many as the page reads; there are more of them.
    const atWork = Array.from({ length: 300 }, (_, at) => ({
        ...entry,
        agent: { ...entry.agent, session: `session${at}` },
    }));
    const counts = { ...inbox.counts, needs_you: 200, working: 500 };
    await page.route(/\/api\/permissions(\?|$)/, (route) =>
        route.fulfill({ json: { ...permissions, asks, next: null } }),
    );
    await page.route(/\/api\/inbox(\?|$)/, (route) =>
        route.fulfill({ json: { ...inbox, counts, working: atWork, next: null } }),
    );
    const needs = page.getByRole('region', { name: 'Needs you' });
    const working = page.getByRole('region', { name: 'Working' });
    const longest = await longestTask(browser, page, async () => {
        await page.reload();
        await app.inbox();
        await expect(needs.locator('li section')).toHaveCount(100);
        await expect(working.locator('li h3')).toHaveCount(300);
        await needs.getByRole('button', { name: 'Show 100 more' }).click();
        await expect(needs.locator('li section')).toHaveCount(200);
    });
    expect(longest).toBeLessThanOrEqual(LONGEST);
    await working.getByRole('link', { name: /^Show all agents/ }).click();
    await expect(page.getByRole('switch', { name: /^Background/ })).toBeChecked();
});

test('a board with 500 tasks is no burden', async ({ app, daemon, browser }) => {
    test.slow();
    const { page } = app;
    await page.setViewportSize({ width: 1440, height: 900 });
    const tasks = Array.from({ length: 500 }, (_, at) => ({
        title: `Task number ${at + 1} with a title of the usual length`,
        resources: [`src/part-${at % 40}/file-${at}`],
        deps: at < 100 ? [] : [`task-${String(at - 99).padStart(4, '0')}`],
    }));
    await team(daemon, 'big', tasks);
    const board = new TeamPage(app);
    const blocked = board.column('Blocked');
    const longest = await longestTask(browser, page, async () => {
        await board.open('big');
        await expect(blocked.locator('h2')).toContainText('400');
        await expect(blocked.locator('[data-task]')).toHaveCount(40);
        await blocked.getByRole('button', { name: /Show more/ }).click();
        await expect(blocked.locator('[data-task]')).toHaveCount(80);
        // A dependency that is beyond what is drawn is brought into view.
        await blocked.locator('[data-task]').nth(79).locator('.dep').first().click();
        await expect(board.card('task-0080').locator('[data-open]')).toBeFocused();
        for (let at = 0; at < 10; at++) await board.column('Ready').locator('[data-task]').nth(at).hover();
        await daemon.paseo('task', 'claim', 'task-0001', '--team', 'big');
        await expect(board.column('In progress').locator('[data-task]')).toHaveCount(1);
    });
    expect(longest).toBeLessThanOrEqual(LONGEST);
});
