import { expect, expectAccessible, gate, test, type App } from './app';
import type { Daemon } from './daemon';

function tool(name: string, input: object): string {
    return `<<tool ${name} ${JSON.stringify(input).replaceAll('>', '\\>')}>>`;
}

/** Starts a leader whose helper waits for the test, and returns the leader's handle. */
async function family(daemon: Daemon): Promise<string> {
    await daemon.write('helper.script', `<<usage 1200 30>>${gate('go')}<<say helped>>`);
    await daemon.define(
        'helper',
        `provider = 'scripted'\nis_subagent = true\n[[models]]\nmodel_id = '${daemon.work}/helper.script'\n`,
    );
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const summon = tool('summon', { agent: 'helper', task: 'look around' });
    return daemon.agent('leader', `Build the parser <<usage 10 1>>${summon}<<say done>>`);
}

async function openRequest(app: App): Promise<void> {
    const message = app.items('message').filter({ hasText: 'Build the parser' });
    await message.getByRole('link', { name: 'What this message led to' }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'Request', exact: true })).toBeVisible();
}

async function stopEverything(app: App): Promise<void> {
    await app.page.getByRole('main').getByRole('button', { name: 'Stop everything' }).click();
    const confirm = app.page.getByRole('dialog').getByRole('button', { name: 'Stop everything' });
    await expect(confirm).not.toHaveAttribute('aria-disabled', 'true');
    await confirm.click();
    await expect(app.page.getByRole('dialog')).toHaveCount(0);
}

for (const [what, options] of [
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(options);

        test('a message leads to the tree of what it led to, which follows a daemon that is killed', async ({
            app,
            daemon,
            complaints,
        }) => {
            test.slow();
            complaints.allow(
                /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|NetworkError/,
            );
            await family(daemon);
            await app.open('leader');
            await openRequest(app);
            const { page } = app;
            const tree = page.getByRole('region', { name: 'What it led to' });
            const agents = tree.locator('[data-cause-agent]');
            await expect(agents).toHaveCount(2);
            await expect(agents.nth(0)).toContainText('leader');
            await expect(agents.nth(1)).toContainText('look around');
            await expect(agents.nth(1)).toContainText('started for this');
            await expect(agents.nth(1).locator('[data-delivery]')).toContainText('handed');
            await expect(page.getByRole('main').locator('dl')).toContainText('1 of 64');
            await expectAccessible(page);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
            expect(wide).toBe(false);

            // Its turns were lost with the daemon, and the page says so by itself.
            await daemon.kill();
            await expect(agents.nth(1).locator('[data-turn]').first()).toContainText('interrupted', {
                timeout: 30_000,
            });
            await expect(page.locator('blockquote')).toContainText('Build the parser');
        });

        test('one stop ends everything, in two steps, and another browser sees it', async ({
            app,
            daemon,
            another,
        }) => {
            test.slow();
            const leader = await family(daemon);
            await app.open('leader');
            await openRequest(app);
            const { page } = app;
            await expect(page.locator('[data-cause-agent]')).toHaveCount(2);
            const other = await another();
            await other.page.goto(page.url());
            await expect(other.page.locator('[data-cause-agent]')).toHaveCount(2);

            // A cancelled stop stops nothing.
            await page.getByRole('main').getByRole('button', { name: 'Stop everything' }).click();
            await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
            expect((await daemon.inspect(leader)).status).not.toBe('interrupted');

            await stopEverything(app);
            for (const each of [page, other.page]) {
                await expect(each.getByText('Stopped by a person.')).toBeVisible();
                await expect(each.getByRole('button', { name: 'Stop everything' })).toHaveCount(0);
                for (const turn of await each.locator('[data-turn]').all())
                    await expect(turn).toContainText('interrupted');
            }
            await expectAccessible(page);
            // Every agent opens, and the way back leads here.
            await page.locator('[data-cause-agent]').nth(1).getByRole('link').click();
            await expect(page.getByRole('heading', { level: 1, name: 'look around' })).toBeVisible();
            await page.goBack();
            await expect(page.getByRole('heading', { level: 1, name: 'Request', exact: true })).toBeVisible();
        });
    });

test('names and messages of others hide nothing', async ({ app, daemon }) => {
    await daemon.agent('<img src=x onerror=alert(1)>\u202egnp', 'hello \u202e<b>bold</b> <<say hi>>');
    await app.rows.first().click();
    await expect(app.items('answer').first()).toBeVisible();
    await app.items('message').first().getByRole('link', { name: 'What this message led to' }).click();
    const tree = app.page.getByRole('region', { name: 'What it led to' });
    await expect(tree).toContainText('<img src=x onerror=alert(1)>');
    await expect(app.page.locator('main img, main b')).toHaveCount(0);
    expect(await app.page.getByRole('main').innerText()).not.toContain('\u202e');
});

test('a request that never was says so', async ({ app, complaints }) => {
    complaints.allow(/404/);
    await app.page.goto(new URL('/app/causes/0198c5b2-7d7e-7000-8000-3f2a91cc0000', app.page.url()).href);
    await expect(app.page.getByRole('heading', { name: 'Request not found' })).toBeVisible();
});

test('a message that is held for budget leads to its request', async ({ app, daemon }) => {
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const busy = await daemon.agent('busy', gate('never'));
    await expect(app.row('busy')).toContainText('running');
    const ask = tool('send_to_tab', { tab_id: busy, message: 'later' });
    const asker = await daemon.agent('asker', ask);
    await expect.poll(async () => (await daemon.inspect(asker)).status).toBe('idle');
    await daemon.paseo('cause', asker, '--stop');
    await daemon.paseo('stop', busy);
    await app.inbox();
    const card = app.page.locator('[data-entry]').filter({ hasText: 'busy' });
    await card.getByRole('link', { name: /^Request/ }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'Request', exact: true })).toBeVisible();
    // The request to the asker has the word in it too.
    const later = app.page.getByText('later', { exact: true });
    await expect(app.page.locator('[data-delivery]').filter({ has: later })).toContainText('held');
});

test('time goes on by the clock of the daemon, until nothing runs', async ({ app, daemon }) => {
    // This browser is an hour ahead.
    await app.page.addInitScript(() => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + 3_600_000;
    });
    await app.page.reload();
    await family(daemon);
    await app.open('leader');
    await openRequest(app);
    const time = app.page.getByRole('main').locator('dl > div').filter({ hasText: 'Time' }).locator('dd');
    await expect(time).toHaveText(/^\d+(\.\d)? m?s\s*so far$/);
    const first = await time.innerText();
    // Nothing happens meanwhile.
    await expect(time).not.toHaveText(first, { useInnerText: true, timeout: 2500 });
    await daemon.touch('go');
    await expect(time).toHaveText(/^\d+(\.\d)? s$/);
});

test('a message in a thread that wakes nobody is quoted, and takes no time', async ({ app, daemon }) => {
    const thread = await daemon.paseo('thread', 'new', 'planning', '-q');
    const said = { text: 'a note for later', to: 'user' };
    const { event } = await daemon.api<{ event: { id: string } }>(`/threads/${thread}/messages`, said);
    await app.page.goto(new URL(`/app/causes/${event.id}`, app.page.url()).href);
    await expect(app.page.locator('blockquote')).toHaveText('a note for later');
    await expect(app.page.getByRole('main').locator('dl')).toContainText('Time –');
    await expect(app.page.getByRole('main').locator('dl')).not.toContainText('so far');
    await expect(app.page.getByRole('link', { name: 'Posted in a thread' })).toBeVisible();
});
