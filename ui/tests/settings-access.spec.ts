import { expect, test } from './app';
import { EVIL, onBoth, Settings, SHOWN_EVIL } from './settings';

test('a device is added by a link that works once, and revoked in two steps', async ({
    app,
    stranger,
    daemon,
    complaints,
}) => {
    complaints.allow(/401|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/);
    const port = new URL(daemon.url).port;
    await daemon.configure(`public_urls = ["http://paseo.localhost:${port}"]\n`);
    const settings = new Settings(app.page);
    await settings.open('devices', 'Devices');
    await expect(settings.row('This browser')).toHaveCount(1);
    await settings.main.getByRole('button', { name: 'Add a device' }).click();
    const card = settings.main.getByRole('region', { name: 'Add a device' });
    await expect(card.getByRole('img', { name: 'QR code of the login link' })).toBeVisible();
    await expect(card.getByRole('timer')).toHaveText(/^(5:00|4:\d\d)$/);
    await expect(card.getByRole('button', { name: 'Copy the link' })).toBeVisible();
    const link = await card.getByText('/login#code=').innerText();
    expect(new URL(link).hostname).toBe('paseo.localhost');

    const other = await stranger();
    await other.goto(link);
    await expect(other).toHaveURL(/\/app$/);
    await expect(card).toContainText('logged in. Each link works once.');
    await expect(card.getByText('/login#code=')).toHaveCount(0);
    await card.getByRole('button', { name: 'Close' }).click();
    await expect(settings.main.getByRole('heading', { level: 1 })).toBeFocused();

    const row = settings.main.getByRole('listitem').filter({ hasNotText: 'This browser' });
    await expect(row).toHaveCount(1);
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await settings.confirm('Revoke');
    await expect(row).toHaveCount(0);
    await expect(other.getByRole('heading', { name: 'not logged in' })).toBeVisible();
});

test('a link for this computer has no code, and an expired one says so', async ({ app, complaints }) => {
    complaints.allow(/500/);
    const settings = new Settings(app.page);
    await app.page.clock.install();
    await settings.open('devices', 'Devices');
    const add = settings.main.getByRole('button', { name: 'Add a device' });
    await app.page.route('**/api/login-links', (route) =>
        route.fulfill({ status: 500, json: { code: 'internal', message: 'no randomness', hint: null } }),
    );
    await add.click();
    const card = settings.main.getByRole('region', { name: 'Add a device' });
    await expect(card.getByRole('alert')).toHaveText('no randomness');
    await app.page.unroute('**/api/login-links');
    await card.getByRole('button', { name: 'Try again' }).click();
    await expect(card).toContainText('public_urls');
    await expect(card.getByRole('img')).toHaveCount(0);
    const first = await card.getByText('/login#code=').innerText();
    await app.page.clock.fastForward(301_000);
    await expect(card).toContainText('The link expired.');
    await expect(card.getByText('/login#code=')).toHaveCount(0);
    await app.page.clock.setSystemTime(Date.now());
    await card.getByRole('button', { name: 'Create a new link' }).click();
    await expect(card.getByText('/login#code=')).not.toHaveText(first);
});

test('this browser can log itself out', async ({ app, complaints }) => {
    complaints.allow(/401/);
    const settings = new Settings(app.page);
    await settings.open('devices', 'Devices');
    await settings
        .row('This browser')
        .getByRole('button', { name: /^Log out/ })
        .click();
    await settings.confirm('Log out');
    await expect(app.page.getByRole('heading', { name: 'not logged in' })).toBeVisible();
    expect(await app.page.context().cookies()).toEqual([]);
});

test('a token is created, shown once and revoked', async ({ app, another, daemon, complaints }) => {
    complaints.allow(/400|404/);
    const settings = new Settings(app.page);
    const there = new Settings((await another()).page);
    await there.open('tokens', 'Tokens');
    await expect(there.main.getByText('No tokens')).toBeVisible();
    await settings.open('tokens', 'Tokens');
    await settings.main.getByRole('button', { name: 'New token' }).click();
    const form = settings.main.getByRole('form', { name: 'New token' });
    const name = form.getByRole('textbox', { name: /^Name/ });
    const directory = form.getByRole('textbox', { name: /^Directory/ });
    await name.fill('   ');
    await form.getByRole('button', { name: 'Create token' }).click();
    await expect(name).toHaveAttribute('aria-invalid', 'true');
    await expect(form.getByRole('alert')).toContainText('a token name');

    await name.fill(EVIL);
    await directory.fill('/nowhere/at/all');
    await directory.press('Enter');
    await expect(directory).toHaveAttribute('aria-invalid', 'true');
    await expect(name).toHaveAttribute('aria-invalid', 'false');
    await directory.fill('');
    await directory.press('Enter');
    const card = settings.main.getByRole('region', { name: /^Created token/ });
    await expect(card.getByRole('heading')).toHaveText(`Created token ${SHOWN_EVIL}`);
    const secret = await card.locator('code').innerText();
    const asked = () =>
        fetch(`${daemon.url}/api/settings`, { headers: { Authorization: `Bearer ${secret}` } });
    expect((await asked()).status).toBe(200);
    await card.getByRole('button', { name: 'Done' }).click();
    await expect(app.page.getByText(secret)).toHaveCount(0);
    for (const each of [settings, there]) await expect(each.row(SHOWN_EVIL)).toBeVisible();

    await there
        .row(SHOWN_EVIL)
        .getByRole('button', { name: /^Revoke/ })
        .click();
    await expect(there.dialog).toContainText(SHOWN_EVIL);
    await there.confirm('Revoke');
    for (const each of [settings, there]) await expect(each.main.getByText('No tokens')).toBeVisible();
    expect((await asked()).status).toBe(401);
});

onBoth(() => {
    test('devices and tokens fit the screen', async ({ app, daemon, complaints }) => {
        complaints.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE/);
        await daemon.paseo('token', 'create', '--name', 'unbroken'.repeat(14), '-q');
        await daemon.paseo('token', 'create', '--name', EVIL, '-q');
        const port = new URL(daemon.url).port;
        await daemon.configure(`public_urls = ["http://paseo.localhost:${port}"]\n`);
        const settings = new Settings(app.page);
        // The daemon names browsers itself; the page does not count on that.
        await app.page.route('**/api/devices', (route) => {
            const id = '3f2a5c1e-7b2d-7a10-9c4e-2f6a8b0d1e3c';
            const device = { id, name: EVIL, created_at: '2026-01-31T12:00:00.000Z', current: true };
            return route.fulfill({ json: { devices: [device] } });
        });
        await settings.open('devices', 'Devices');
        await expect(settings.row(SHOWN_EVIL)).toBeVisible();
        await settings.main.getByRole('button', { name: 'Add a device' }).click();
        await expect(settings.main.getByRole('img', { name: /^QR code/ })).toBeVisible();
        await settings.expectFit();
        await settings.open('tokens', 'Tokens');
        await expect(settings.row(SHOWN_EVIL)).toBeVisible();
        await settings.main.getByRole('button', { name: 'New token' }).click();
        await settings.expectFit();
        await settings.main.getByRole('button', { name: 'Cancel' }).click();
        await settings.row('unbroken').getByRole('button').click();
        await expect(settings.dialog.getByRole('button', { name: 'Revoke' })).toBeEnabled();
        await settings.expectFit();
    });
});

test('lists are read to their end', async ({ app }) => {
    const { page } = app;
    const settings = new Settings(page);
    const rule = (at: number) => ({
        id: `rule-${at}`,
        project: '/home/you/shop',
        tool: 'Bash',
        covers: `Tool${at}`,
        allow: true,
        decided_at: '2026-01-01T00:00:00Z',
        decided_by: 'human:web',
    });
    await page.route('**/api/rules*', (route) => {
        const second = new URL(route.request().url()).searchParams.get('after') === 'more';
        return route.fulfill({
            json: second ? { rules: [rule(2)], next: null } : { rules: [rule(1)], next: 'more' },
        });
    });
    await settings.open('rules', 'Remembered rules');
    await expect(settings.main).toContainText('Tool1');
    await expect(settings.main).toContainText('Tool2');
    const device = (name: string) => ({
        id: name,
        name,
        current: false,
        created_at: '2026-01-01T00:00:00Z',
        notifications: { permissions: true },
    });
    await page.route('**/api/devices*', (route) => {
        const second = new URL(route.request().url()).searchParams.get('after') === 'more';
        return route.fulfill({
            json: second
                ? { devices: [device('The second')], next: null }
                : { devices: [device('The first')], next: 'more' },
        });
    });
    await settings.open('notifications', 'Notifications');
    await expect(settings.main).toContainText('The first');
    await expect(settings.main).toContainText('The second');
});
