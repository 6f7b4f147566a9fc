import { expect, expectAccessible, test } from './app';
import { onBoth, Settings } from './settings';

test('a provider is added and removed, and a refusal is at its field', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/400|409/);
    const settings = new Settings(app.page);
    await settings.open('providers', 'Providers');
    await expect(settings.main.getByRole('region', { name: 'Ready', exact: true })).toContainText('scripted');
    const rest = settings.main.getByRole('region', { name: 'Not ready' });
    await expect(rest.getByRole('listitem').filter({ hasText: 'To fix this:' }).first()).toBeVisible();

    await settings.main.getByRole('link', { name: 'Add a provider' }).click();
    const form = settings.main.getByRole('form', { name: 'Add a provider' });
    const name = form.getByRole('textbox', { name: /^Name/ });
    const program = form.getByRole('textbox', { name: /^Program/ });
    const variables = form.getByRole('textbox', { name: /^Environment/ });
    const add = form.getByRole('button', { name: 'Add provider' });
    const wrong = form.getByRole('alert');
    await name.fill('claude');
    await program.fill('bin/helper');
    await add.click();
    await expect(wrong).toContainText('`claude` is a built-in provider');
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await name.fill('helper');
    await add.click();
    await expect(wrong).toContainText('relative path');
    await expect(program).toHaveAttribute('aria-invalid', 'true');
    await expect(name).toHaveAttribute('aria-invalid', 'false');
    await program.fill('/bin/cat');
    await variables.fill('A=1\nB');
    await add.click();
    await expect(wrong).toHaveText('line 2: expected NAME=VALUE');
    await variables.fill('PASEO_HOME=/elsewhere');
    await add.click();
    await expect(wrong).toContainText('invalid variable name');
    await expect(variables).toHaveAttribute('aria-invalid', 'true');
    await variables.fill('A=1');
    await form.getByRole('textbox', { name: /^Arguments/ }).fill('--acp\nwith spaces');
    await add.click();

    await expect(app.page).toHaveURL(/\/app\/settings\/providers$/);
    await expect(settings.row('helper')).toContainText('added by you');
    const listed = async () =>
        (
            JSON.parse(await daemon.paseo('providers', '--json')) as {
                providers: { name: string; added: boolean }[];
            }
        ).providers.some((provider) => provider.name === 'helper' && provider.added);
    expect(await listed()).toBe(true);
    await expect(settings.row('scripted').getByRole('button')).toHaveCount(0);
    await settings.row('helper').getByRole('button', { name: 'Remove helper' }).click();
    await settings.confirm('Remove');
    await expect(settings.row('helper')).toHaveCount(0);
    expect(await listed()).toBe(false);
});

test('a worktree with work is archived, one in use stays', async ({ app, daemon, complaints }) => {
    complaints.allow(/409/);
    const settings = new Settings(app.page);
    await settings.open('worktrees', 'Worktrees');
    await expect(settings.main.getByText('No worktrees')).toBeVisible();
    await daemon.repository();
    const make = async (name: string, script: string) => {
        const agent = await daemon.paseo('run', '-d', `--worktree=${name}`, script);
        await daemon.paseo('wait', agent);
        return agent;
    };
    const spike = await make('spike', '<<sh echo hello \\> new.txt>><<say done>>');
    const clean = await make('clean', '<<say done>>');
    await settings.main.getByRole('button', { name: 'Refresh' }).click();
    await expect(settings.row('work-spike')).toContainText('Only here: uncommitted work.');
    await expect(settings.row('work-clean')).toContainText('Nothing unsaved');

    await settings
        .row('work-spike')
        .getByRole('button', { name: /^Remove/ })
        .click();
    await expect(settings.dialog).toContainText('It has uncommitted work');
    await settings.confirm('Archive and remove');
    await expect(settings.dialog.getByRole('alert')).toContainText('is still open');
    await daemon.paseo('close', spike);
    await settings.confirm('Archive and remove');
    await expect(settings.dialog).toHaveCount(0);
    await expect(settings.row('work-spike')).toHaveCount(0);
    const removed = settings.main.getByRole('region', { name: 'Removed work-spike' });
    await expect(removed).toContainText('refs/paseo/archive/');
    await expect(removed.getByText('worktree add -b paseo/')).toBeVisible();
    await removed.getByRole('button', { name: 'Close' }).click();

    // Work appears while the dialog is open: nothing is lost without a word.
    await settings
        .row('work-clean')
        .getByRole('button', { name: /^Remove/ })
        .click();
    await expect(settings.dialog).toContainText('It has no unsaved work.');
    const { worktrees } = JSON.parse(await daemon.paseo('worktree', 'ls', '--json')) as {
        worktrees: { name: string; path: string }[];
    };
    await daemon.paseo('close', clean);
    await daemon.write(`../home/worktrees/work-clean/late.txt`, 'late');
    expect(worktrees.map(({ name }) => name)).toEqual(['work-clean']);
    await settings.confirm('Remove');
    await expect(settings.dialog.getByRole('alert')).toBeVisible();
    await expect(settings.dialog).toContainText('It has uncommitted work');
    await settings.confirm('Archive and remove');
    await expect(settings.main.getByRole('region', { name: 'Removed work-clean' })).toBeVisible();
    await expect(settings.main.getByText('No worktrees')).toBeVisible();
});

test('diagnostics say what the daemon says, as text too', async ({ app, context, daemon }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await daemon.agent('one', '<<say hi>>');
    await expect(app.row('one')).toContainText('idle');
    const settings = new Settings(app.page);
    await settings.open('diagnostics', 'Diagnostics');
    const status = JSON.parse(await daemon.paseo('status', '--json')) as { pid: number; home: string };
    const fact = (name: string) =>
        settings.main.locator('dl > div').filter({ has: app.page.getByText(name, { exact: true }) });
    await expect(fact('Process id')).toContainText(String(status.pid));
    await expect(fact('Home')).toContainText(status.home);
    await expect(fact('Agents')).toContainText('1 idle');
    const check = (name: string) =>
        settings.main
            .getByRole('region', { name: 'Checks' })
            .getByRole('listitem')
            .filter({ has: app.page.getByText(name, { exact: true }) });
    await expect(check('git')).toContainText('OK');
    // What was broken since is found when it is asked for again, and how to fix it.
    await daemon.place('../config.toml', 'listen = ');
    await settings.main.getByRole('button', { name: 'Check again' }).click();
    await expect(check('config')).toContainText('Failed');
    await settings.main.getByRole('button', { name: 'Copy as text' }).click();
    const copied = await app.page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`  Process id: ${status.pid}\n`);
    expect(copied).toContain('  config: fail: ');
});

const PAGES = [
    ['permissions', 'Permissions', '**/api/settings'],
    ['rules', 'Remembered rules', '**/api/rules'],
    ['providers', 'Providers', '**/api/providers'],
    ['notifications', 'Notifications', '**/api/notifications'],
    ['devices', 'Devices', '**/api/devices'],
    ['tokens', 'Tokens', '**/api/tokens'],
    ['worktrees', 'Worktrees', '**/api/worktrees'],
    ['diagnostics', 'Diagnostics', '**/api/status'],
] as const;

test('each page says why it could not be loaded, and comes back', async ({ app, complaints }) => {
    // Eight pages in one test.
    test.slow();
    complaints.allow(/503|ERR_FAILED/);
    const settings = new Settings(app.page);
    for (const [path, title, request] of PAGES) {
        const busy = { status: 503, json: { code: 'overloaded', message: 'too busy', hint: null } };
        let seen = () => {};
        const held = new Promise<void>((resolve) => (seen = resolve));
        await app.page.route(request, async (route) => {
            await held;
            await route.fulfill(busy);
        });
        await app.page.goto(new URL(`/app/settings/${path}`, app.page.url()).href);
        await expect(settings.main.getByRole('heading', { level: 1, name: title })).toBeVisible();
        await expect(settings.main.getByRole('status', { name: 'Loading' })).toBeVisible();
        seen();
        const failed = settings.main.getByRole('region', { name: /^Couldn't load/ });
        await expect(failed).toContainText('too busy');
        await app.page.unroute(request);
        await failed.getByRole('button', { name: 'Try again' }).click();
        await expect(failed).toHaveCount(0);
        // What was read stays while the next reading fails.
        await app.page.route(request, (route) => route.abort());
        await app.page.evaluate(() => window.dispatchEvent(new Event('focus')));
        await expect(settings.main.getByText('This may be out of date')).toBeVisible();
        await expect(failed).toHaveCount(0);
        await app.page.unroute(request);
    }
});

onBoth(() => {
    test('providers, worktrees and diagnostics fit the screen', async ({ app, daemon }) => {
        await daemon.repository();
        await daemon.paseo('providers', 'add', 'helper', '--', '/bin/cat', '--acp');
        const agent = await daemon.paseo('run', '-d', '--worktree=long-name-of-a-spike', '<<sh echo \\> a>>');
        await daemon.paseo('wait', agent);
        const settings = new Settings(app.page);
        await settings.open('providers', 'Providers');
        await expect(settings.row('helper')).toBeVisible();
        await settings.expectFit();
        await settings.open('new-provider', 'Add a provider');
        await settings.expectFit();
        await settings.open('worktrees', 'Worktrees');
        await settings.row('spike').getByRole('button').click();
        await expect(settings.dialog.getByRole('button', { name: 'Archive and remove' })).toBeEnabled();
        await settings.expectFit();
        await settings.open('diagnostics', 'Diagnostics');
        await settings.expectFit();
        await settings.page.goto(new URL('/app/settings', settings.page.url()).href);
        await expect(settings.main.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
        await settings.expectFit();
    });
});

test('a page of settings is scrolled by the keyboard', async ({ app }) => {
    await app.page.setViewportSize({ width: 1280, height: 400 });
    const settings = new Settings(app.page);
    await settings.open('providers', 'Providers');
    await expectAccessible(app.page);
    const body = settings.main.getByRole('region', { name: 'Providers', exact: true });
    await body.focus();
    await expect(body).toBeFocused();
});
