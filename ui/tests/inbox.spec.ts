import { expect, expectAccessible, gate, test } from './app';

for (const [device, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test(`shows what needs you, what finished and what works, on a ${device}`, async ({ app, daemon }) => {
        test.slow();
        await app.page.setViewportSize(viewport);
        await app.inbox();
        await daemon.agent('failed', '<<fail out of order>>');
        await daemon.paseo('run', '-d', '--title', 'done', '<<say <b>All</b> tests pass>>');
        await daemon.agent('busy', `${gate('end')}<<say over>>`);
        const region = (name: string) => app.page.getByRole('region', { name, exact: true });
        await expect(region('failed failed')).toContainText('Retry, or reply to continue.');
        await expect(region('Finished since you looked')).toContainText('<b>All</b> tests pass');
        await expect(region('Working')).toContainText('busy');
        await expectAccessible(app.page);
        await app.page.getByRole('button', { name: 'Archive done' }).click();
        await app.page.mouse.move(0, 0);
        await expect(region('Finished since you looked')).toHaveCount(0);
        await daemon.touch('end');
        await expect(region('Finished since you looked')).toContainText('over');
        await app.page.getByRole('button', { name: 'Reply to busy' }).click();
        await expect(app.composer).toBeFocused();
    });

test('a row of Working shows the step, the to-do list, the time and the tokens', async ({ app, daemon }) => {
    const todos = [
        { content: 'look', status: 'completed' },
        { content: 'act', status: 'in_progress' },
    ];
    const script = `<<usage 1200 80>><<tool todo ${JSON.stringify({ todos })}>>${gate('end')}<<say over>>`;
    await daemon.define('planner', "provider = 'scripted'\ntools = ['todo', 'bash']");
    await daemon.agent('busy', script, '--agent', 'planner');
    await app.inbox();
    const row = app.page.getByRole('region', { name: 'Working' }).getByRole('listitem');
    await expect(row.locator('.step')).toContainText('until [ -e end ]');
    await expect(row.locator('.fact')).toHaveText(['to-do 1/2', '1.3K tokens']);
    const time = row.locator('time');
    await expect(time).toHaveText(/^(now|\d+ ?s)$/);
    // It grows by itself.
    await app.page.clock.install();
    await app.page.reload();
    await expect(time).toHaveText(/^(now|\d+ ?s)$/);
    await app.page.clock.fastForward(5 * 60_000);
    await expect(time).toHaveText(/^5 ?m/);
    await daemon.touch('end');
});

test('a failed agent is retried, and a held one resumed, from its card', async ({ app, daemon }) => {
    test.slow();
    const failed = await daemon.agent('failed', '<<fail out of order>>');
    const held = await daemon.agent('held', `${gate('never')}<<say no>>`);
    await daemon.paseo('send', held, '<<say at last>>');
    await daemon.paseo('stop', held);
    await app.inbox();
    const { page } = app;
    const card = (name: string) => page.getByRole('region', { name, exact: true });

    const resume = card('held is held').getByRole('button', { name: 'Resume held' });
    await expect(resume).toBeEnabled();
    await resume.click();
    await expect(card('held is held')).toContainText('No longer needs you.');
    await expect.poll(() => daemon.paseo('logs', held)).toContain('at last');

    const retry = card('failed failed').getByRole('button', { name: 'Retry failed' });
    await expect(retry).toBeEnabled();
    await expectAccessible(page);
    await retry.click();
    await expect.poll(() => daemon.paseo('logs', failed)).toContain('Continue.');
    await expect(retry).toHaveCount(0);
});

test('the badge and the inbox agree while requests come', async ({ app, daemon }) => {
    await app.page.setViewportSize({ width: 390, height: 844 });
    await daemon.agent('failed', '<<fail out of order>>');
    await app.inbox();
    const { page } = app;
    const section = page.getByRole('region', { name: 'Needs you' });
    const tab = page.getByRole('navigation', { name: 'Tabs' }).getByRole('link', { name: /^Inbox/ });
    await expect(section.locator('header .count')).toHaveText('1');
    // The daemon's count is not read again for now: the request arrives by itself.
    await page.route('**/api/inbox*', () => {});
    await daemon.agent('asks', '<<ask May I?>>');
    await expect(section.locator('header .count')).toHaveText('2');
    await expect(tab.locator('.count')).toHaveText(/^2/);
});

test('what agents in the background need is counted at once, in every browser', async ({
    app,
    another,
    daemon,
}) => {
    const other = await another();
    await expect(app.page).toHaveTitle('Agents · Paseo');
    await expect(other.page).toHaveTitle('Agents · Paseo');
    // Nothing reads the inbox from time to time: only what the daemon tells counts.
    const failed = await daemon.create({ name: 'failed', prompt: '<<say words>><<fail out of order>>' });
    for (const { page } of [app, other]) await expect(page).toHaveTitle('(1) Agents · Paseo');
    const held = await daemon.create({ name: 'held', prompt: gate('never') });
    await daemon.paseo('send', held, '<<say later>>');
    await daemon.paseo('stop', held);
    for (const { page } of [app, other]) await expect(page).toHaveTitle('(2) Agents · Paseo');
    await expect(app.page.getByRole('link', { name: /^Inbox 2\b/ })).toBeVisible();
    await daemon.paseo('send', failed, '<<say better>>');
    for (const { page } of [app, other]) await expect(page).toHaveTitle('(1) Agents · Paseo');
    expect(await app.rows.count()).toBe(0);
});

test('no card moves while the daemon dies and returns', async ({ app, another, daemon, complaints }) => {
    complaints.allow(/ERR_|Failed to load|50[23]/);
    await daemon.agent('failed', '<<fail out of order>>');
    const limited = await daemon.agent('limited', '<<say hm>><<limit 3600000>>');
    await expect.poll(async () => (await daemon.inspect(limited)).status).toBe('error');
    const phone = await another({ viewport: { width: 390, height: 844 } });
    const both = [app, phone];
    const cards = ({ page }: typeof app) => page.locator('li[data-stop]');
    const places = (who: typeof app) =>
        cards(who).evaluateAll((all) => all.map((card) => JSON.stringify(card.getBoundingClientRect())));
    const before: string[][] = [];
    for (const who of both) {
        await who.inbox();
        await expect(cards(who)).toHaveCount(2);
        await expect(who.page.getByRole('region', { name: 'limited reached a rate limit' })).toContainText(
            /It continues on its own at \d/,
        );
        before.push(await places(who));
    }
    await daemon.kill(async () => {
        for (const [at, who] of both.entries()) {
            await expect(who.page.getByText('No connection to the daemon')).toBeVisible();
            expect(await places(who)).toEqual(before[at]);
            await expectAccessible(who.page);
        }
    });
    for (const [at, who] of both.entries()) {
        await expect(who.page.getByText('No connection to the daemon')).toHaveCount(0);
        expect(await places(who)).toEqual(before[at]);
    }
});
