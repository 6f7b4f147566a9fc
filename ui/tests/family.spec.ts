import { expect, gate, test, type App } from './app';

/** Returns a step that starts another agent and goes on. */
function summon(agent: string, task: string): string {
    return `<<tool summon ${JSON.stringify({ agent, task, background: true })}>>`;
}

/** What the list looks like: names, indented. */
async function listed(app: App): Promise<string[]> {
    return app.rows.evaluateAll((rows) =>
        rows.map((row) => {
            const name = row.querySelector('.name')?.textContent ?? '';
            return '- '.repeat(Number(row.getAttribute('data-depth'))) + name;
        }),
    );
}

test('those that an agent started stand below it', async ({ app, daemon }) => {
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    await daemon.agent('older', '<<say hi>>');
    await expect(app.row('older')).toContainText('idle');
    const handle = await daemon.agent(
        'leader',
        summon('helper', 'look around') + gate('second') + summon('helper', 'look again') + '<<hang>>',
    );
    await expect.poll(() => listed(app)).toEqual(['leader', '- look around', 'older']);
    await daemon.agent('newer', '<<say hi>>');
    await daemon.touch('second');
    const family = ['newer', 'leader', '- look again', '- look around', 'older'];
    await expect.poll(() => listed(app)).toEqual(family);
    await expect(app.row('look around')).toContainText('helper');

    // The keys go from row to row as they are seen.
    const { keyboard } = app.page;
    for (const name of ['newer', 'leader', 'look again', 'look around', 'older']) {
        await keyboard.press('j');
        await expect(app.page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
    }
    await app.row('look again').focus();
    await keyboard.press('ArrowDown');
    await expect(app.row('look around')).toBeFocused();

    await app.page.reload();
    await expect.poll(() => listed(app)).toEqual(family);
    await daemon.paseo('stop', handle);
    await daemon.paseo('close', handle);
    await expect.poll(() => listed(app)).toEqual(['newer', 'older']);
});

test('a subagent becomes independent and outlives its parent', async ({ app, daemon }) => {
    test.slow();
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const handle = await daemon.agent('leader', `${summon('helper', 'look around')}<<hang>>`);
    await expect.poll(() => listed(app)).toEqual(['leader', '- look around']);
    await app.choose('look around', 'Promote to independent agent');
    // Rows keep their places while one points at them.
    await app.page.mouse.move(1000, 400);
    await expect.poll(async () => (await listed(app)).toSorted()).toEqual(['leader', 'look around']);
    await daemon.paseo('stop', handle);
    await daemon.paseo('close', handle);
    await expect.poll(() => listed(app)).toEqual(['look around']);
});

test('a background agent brings its family along when it is shown', async ({ app, daemon }) => {
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const handle = await daemon.paseo(
        'run',
        '-d',
        '--title',
        'hidden',
        `${summon('helper', 'look around')}<<hang>>`,
    );
    await daemon.agent('seen', '<<say hi>>');
    await expect(app.row('seen')).toContainText('idle');
    await expect.poll(async () => (await daemon.paseo('ls', '-q')).split('\n').length).toBe(2);
    expect(await listed(app)).toEqual(['seen']);
    await daemon.paseo('label', handle, 'ui=true');
    await expect.poll(() => listed(app)).toEqual(['seen', 'hidden', '- look around']);
    await daemon.paseo('label', handle, 'ui-');
    await expect.poll(() => listed(app)).toEqual(['seen']);
});

test('what other agents write is not shown as if a person had', async ({ app, daemon }) => {
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const leader = await daemon.agent('leader', `${summon('helper', 'look around')}<<say sent>>`);
    await app.open('leader');
    // The helper answers, and the leader is told.
    const notice = app.items('message').filter({ hasText: '[notice]' });
    await expect(notice).toHaveCount(1);
    const helper = await app.row('look around').getAttribute('href');
    const sender = notice.getByRole('link', { name: /^[0-9a-f]{4,}$/ });
    await expect(sender).toHaveAttribute('href', helper ?? '');
    await expect(notice.getByRole('img', { name: /^Message from [0-9a-f]{4,}$/ })).toBeVisible();
    await expect(app.items('message').getByRole('img', { name: 'You' })).toHaveCount(1);

    await sender.click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'look around' })).toBeVisible();
    await expect(app.page.getByRole('main').locator('header')).toContainText('helper');
    const task = app.items('message');
    await expect(task).toContainText('look around');
    await expect(task).toContainText(`from ${leader}`);
    await expect(task.getByRole('img', { name: `Message from ${leader}` })).toBeVisible();
    await expect(task.getByRole('img', { name: 'You' })).toHaveCount(0);
    await app.page.goBack();
    await expect(app.page.getByRole('heading', { level: 1, name: 'leader' })).toBeVisible();
});

test('a message of a peer says whose it is', async ({ app, daemon }) => {
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const target = await daemon.agent('target', '<<say ready>>');
    await expect(app.row('target')).toContainText('idle');
    const words = JSON.stringify({ tab_id: target, message: '<<say obeyed>> please' }).replaceAll('>', '\\>');
    const sender = await daemon.paseo('run', '-d', '--title', 'sender', `<<tool send_to_tab ${words}>>`);
    await app.open('target');
    const message = app.items('message').filter({ hasText: 'please' });
    await expect(message).toContainText(`from ${sender}`);
    await expect(message.getByRole('img', { name: `Message from ${sender}` })).toBeVisible();
    // Its sender is in the background, and stays there.
    await expect(app.rows).toHaveCount(1);
    await app.page.reload();
    await expect(message).toContainText(`from ${sender} sender`);
});

test('a child is shown even when its parent is on a page that was not read', async ({ app, daemon }) => {
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    await daemon.agent('leader', `${summon('helper', 'look around')}<<hang>>`);
    await expect(app.row('leader')).toContainText('1 queued');
    await expect(app.row('look around')).toContainText('idle');
    await app.page.route(/\/api\/sessions\?/, async (route) => {
        // Who fetches it here is not the browser, and so would not say where it comes from.
        const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
        const response = await route.fetch({ headers });
        const page = (await response.json()) as { sessions: { parent: string | null }[] };
        await route.fulfill({
            response,
            json: { ...page, sessions: page.sessions.filter(({ parent }) => parent) },
        });
    });
    await app.page.reload();
    await expect.poll(() => listed(app)).toEqual(['leader', '- look around']);
});
