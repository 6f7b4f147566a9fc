import { expect, test } from './app';
import type { Daemon } from './daemon';
import { onBoth, remember, Settings } from './settings';

async function isOn(daemon: Daemon, key: string): Promise<boolean | undefined> {
    const settings = JSON.parse(await daemon.paseo('settings', '--json')) as Record<string, boolean>;
    return settings[key];
}

test('two browsers and the command line agree on a switch', async ({ app, another, daemon }) => {
    const here = new Settings(app.page);
    const there = new Settings((await another()).page);
    for (const settings of [here, there]) {
        await settings.open('permissions', 'Permissions');
        await expect(settings.main.getByRole('switch')).toHaveCount(6);
        await expect(settings.main.getByRole('switch', { checked: true })).toHaveCount(0);
    }
    const message = here.main.getByRole('switch', { name: 'Message other tabs' });
    await message.focus();
    await app.page.keyboard.press('Space');
    await expect(message).toBeChecked();
    expect(await isOn(daemon, 'perm_send_to_tab')).toBe(true);
    await expect(there.main.getByRole('switch', { name: 'Message other tabs' })).toBeChecked();

    const spawn = there.main.getByRole('switch', { name: 'Spawn user agents' });
    await expect(spawn).toHaveAccessibleDescription('Allow the AI to open new independent top-level tabs');
    await spawn.click();
    await expect(here.main.getByRole('switch', { name: 'Spawn user agents' })).toBeChecked();

    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'off');
    for (const settings of [here, there])
        await expect(settings.main.getByRole('switch', { name: 'Message other tabs' })).not.toBeChecked();
});

test('a refused change says why, and the switch goes back', async ({ app, daemon, complaints }) => {
    complaints.allow(/409|ERR_FAILED/);
    const settings = new Settings(app.page);
    await settings.open('permissions', 'Permissions');
    const todo = settings.main.getByRole('switch', { name: 'Keep a to-do list' });
    await app.page.route('**/api/settings/perm_todo', (route) =>
        route.fulfill({
            status: 409,
            json: { code: 'conflict', message: 'a policy forbids this', hint: 'ask your administrator' },
        }),
    );
    await todo.click();
    await expect(settings.main.getByRole('alert')).toHaveText(
        'Not changed: a policy forbids this (ask your administrator)',
    );
    await expect(todo).not.toBeChecked();
    await app.page.unroute('**/api/settings/perm_todo');
    await app.page.route('**/api/settings/perm_todo', (route) => route.abort());
    await todo.click();
    await expect(settings.main.getByRole('alert')).toContainText('the daemon cannot be reached');
    await expect(todo).not.toBeChecked();
    expect(await isOn(daemon, 'perm_todo')).toBe(false);

    await app.page.unroute('**/api/settings/perm_todo');
    await todo.click();
    await expect(todo).toBeChecked();
    await expect(settings.main.getByRole('alert')).toHaveCount(0);
});

test('a rule is forgotten in two steps, once', async ({ app, daemon, complaints }) => {
    complaints.allow(/404/);
    await remember(daemon, 'echo one', 'allow');
    await remember(daemon, 'rm -rf /', 'deny');
    const settings = new Settings(app.page);
    await settings.open('rules', 'Remembered rules');
    await expect(settings.row('echo one')).toContainText('Allow');
    await expect(settings.row('echo one')).toContainText('the command `echo one`');
    await expect(settings.row('rm -rf /')).toContainText('No agent may do this here');

    const forget = settings.row('echo one').getByRole('button', { name: /^Forget/ });
    await forget.click();
    await expect(settings.dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    await app.page.keyboard.press('Escape');
    await expect(settings.dialog).toHaveCount(0);
    await expect(settings.row('echo one')).toBeVisible();
    await expect(forget).toBeFocused();
    // The second click of a double click is not the second step.
    await forget.dblclick();
    await expect(settings.dialog).toBeVisible();
    await expect(settings.row('echo one')).toHaveCount(1);
    await app.page.keyboard.press('Escape');
    // Nor is a click that comes before the dialog was displayed for a while.
    const asked: string[] = [];
    app.page.on('request', (request) => asked.push(request.method()));
    await forget.evaluate(async (button: HTMLElement) => {
        button.click();
        await new Promise(requestAnimationFrame);
        document.querySelector<HTMLElement>('dialog .danger')?.click();
    });
    await expect(settings.dialog.getByRole('button', { name: 'Forget' })).toBeEnabled();
    expect(asked).not.toContain('DELETE');
    await settings.confirm('Forget');
    await expect(settings.dialog).toHaveCount(0);
    await expect(settings.row('echo one')).toHaveCount(0);
    await expect(settings.main.getByRole('heading', { level: 1 })).toBeFocused();

    // Forgotten elsewhere while the dialog is open: nothing else is.
    await settings.row('rm -rf /').getByRole('button').click();
    const { rules } = JSON.parse(await daemon.paseo('permit', 'rules', '--json')) as {
        rules: { id: string }[];
    };
    expect(rules).toHaveLength(1);
    await daemon.paseo('permit', 'forget', rules[0]!.id);
    await settings.confirm('Forget');
    await expect(settings.dialog.getByRole('alert')).toContainText(/^rule `.*` not found/);
    await settings.dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(settings.main.getByText('No rules')).toBeVisible();
});

onBoth(() => {
    test('permissions and rules fit the screen', async ({ app, daemon }) => {
        await remember(daemon, `echo ${'long'.repeat(60)}`, 'allow');
        await remember(daemon, 'echo <b>a\u202eb', 'deny');
        const settings = new Settings(app.page);
        await settings.open('permissions', 'Permissions');
        await settings.main.getByRole('switch').first().click();
        await expect(settings.main.getByRole('switch').first()).toBeChecked();
        await settings.expectFit();
        await settings.open('rules', 'Remembered rules');
        await expect(settings.row('echo <b>a\\u{202e}b')).toBeVisible();
        await settings.expectFit();
        await settings.row('longlong').getByRole('button').click();
        await expect(settings.dialog.getByRole('button', { name: 'Forget' })).toBeEnabled();
        await settings.expectFit();
    });
});
