import { expect, expectAccessible, gate, test } from './app';

const EVIL = '<img src=x onerror=alert(1)>"\'‮';

test('everything that can be done with an agent is in its menu', async ({ app, daemon, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const pasted = () => app.page.evaluate(() => navigator.clipboard.readText());
    const handle = await daemon.agent('worker', `<<say hi>>${gate('never')}`);
    await daemon.agent('other', '<<say hi>>');
    await expect(app.row('worker')).toContainText('running');
    await expect(app.row('other')).toContainText('idle');
    const menu = await app.menu('worker');
    await expect(menu.getByRole('menuitem')).toHaveText([
        'Rename…',
        'Pin',
        'Notify me when it finishes',
        'Labels…',
        'Model and permissions…',
        'Select',
        'Archive',
        `Copy handle ${handle}`,
        'Copy link',
        'Stop',
        'Close',
        'Clear transcript…',
        'Delete…',
    ]);
    await expectAccessible(app.page);
    await app.page.keyboard.press('Escape');
    await expect(menu).toHaveCount(0);

    await app.choose('worker', 'Copy handle');
    await expect.poll(pasted).toBe(handle);
    await app.choose('worker', 'Copy link');
    await expect.poll(pasted).toMatch(new RegExp(`^http://127.*/app/agents/${handle}`));
    await app.choose('worker', 'Stop');
    await expect(app.row('worker')).toContainText('stopped');
    await app.choose('worker', 'Pin');
    await expect(app.row('worker')).toContainText('Pinned');
    await app.choose('worker', 'Unpin');
    await expect(app.row('worker')).not.toContainText('Pinned');

    // A closed agent keeps its place while one points at it, and can be reopened there.
    await app.choose('worker', 'Close');
    await expect(app.row('worker')).toContainText('closed');
    await app.choose('worker', 'Reopen');
    await expect(app.row('worker')).not.toContainText('closed');
    expect((await daemon.inspect(handle)).status).not.toBe('closed');
});

test('by keyboard: rename, menu and labels', async ({ app, daemon, complaints }) => {
    test.slow();
    complaints.allow(/400 \(Bad Request\)|413 \(Payload Too Large\)/);
    const handle = await daemon.agent('worker', '<<say hi>>');
    await expect(app.row('worker')).toContainText('idle');
    const { keyboard } = app.page;
    await app.row('worker').focus();
    await keyboard.press('r');
    const field = app.page.getByRole('textbox', { name: 'Name of worker' });
    await expect(field).toBeFocused();
    await keyboard.press('Escape');
    await expect(app.row('worker')).toBeFocused();
    await keyboard.press('r');
    await field.fill('better name');
    await keyboard.press('Enter');
    await expect(app.row('better name')).toBeFocused();
    expect(await daemon.paseo('ls', '--ui')).toContain('better name');

    await keyboard.press('m');
    await keyboard.press('l');
    await keyboard.press('Enter');
    const sheet = app.page.getByRole('dialog', { name: 'Labels of better name' });
    await expect(sheet).toContainText('ui=true');
    await sheet.getByRole('combobox').fill('no label');
    await keyboard.press('Enter');
    await expect(sheet.getByRole('alert')).toHaveText('A label is key=value, such as env=ci.');
    await sheet.getByRole('combobox').fill('env=a=b');
    await keyboard.press('Enter');
    await expect(sheet.getByRole('listitem')).toContainText(['env=a=b', 'ui=true']);
    await expectAccessible(app.page);
    await sheet.getByRole('button', { name: 'Remove env=a=b' }).click();
    await expect(sheet.getByRole('listitem')).toHaveCount(1);
    // What the daemon says against it is there.
    await sheet.getByRole('combobox').fill(`${'k'.repeat(200)}=x`);
    await keyboard.press('Enter');
    await expect(sheet.getByRole('alert')).not.toBeEmpty();
    await keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);
    expect(JSON.stringify(await daemon.inspect(handle))).not.toContain('env');
});

test('deleting takes two steps and says what is lost', async ({ app, daemon, complaints }) => {
    test.slow();
    // A clear that is refused, and reading of the queue of what is deleted meanwhile.
    complaints.allow(/409 \(Conflict\)|404 \(Not Found\)/);
    const handle = await daemon.agent('worker', `<<say hi>>${gate('never')}`);
    await expect(app.row('worker')).toContainText('running');
    await daemon.paseo('send', handle, 'later');
    await app.choose('worker', 'Delete');
    const dialog = app.page.getByRole('dialog', { name: 'Delete “worker”?' });
    await expect(dialog).toContainText('It is working: the current turn is stopped.');
    await expect(dialog).toContainText('1 message waiting for it is lost.');
    await expectAccessible(app.page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await daemon.inspect(handle)).status).toBe('running');

    // What the daemon refuses is said at the row; nothing is lost.
    await app.choose('worker', 'Clear');
    const clear = app.page.getByRole('dialog', { name: 'Clear the transcript of “worker”?' });
    await clear.getByRole('button', { name: 'Clear', exact: true }).click();
    await expect(clear.getByRole('alert')).not.toBeEmpty();
    await clear.getByRole('button', { name: 'Cancel' }).click();

    await app.row('worker').click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'worker' })).toBeVisible();
    await app.choose('worker', 'Delete');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(app.page).toHaveURL(/\/app\/agents$/);
    await app.page.mouse.move(900, 400);
    await expect(app.rows).toHaveCount(0);
    await expect(daemon.inspect(handle)).rejects.toThrow();
});

test('two browsers agree, also after the daemon was away', async ({ app, daemon, another, complaints }) => {
    test.slow();
    complaints.allow(/ERR_|Failed to load resource/);
    const other = await another();
    const handle = await daemon.agent('worker', '<<say hi>>');
    await expect(other.row('worker')).toContainText('idle');
    await app.choose('worker', 'Rename');
    await app.page.getByRole('textbox', { name: 'Name of worker' }).fill('renamed');
    await app.page.keyboard.press('Enter');
    await expect(other.row('renamed')).toBeVisible();
    await expect(app.row('renamed')).toBeVisible();

    await daemon.paseo('down');
    await expect(app.page.getByText('No connection to the daemon')).toBeVisible();
    await app.choose('renamed', 'Close');
    // It says so over the row, and does nothing later by itself.
    const problem = app.page.getByRole('alert').filter({ hasText: 'Close failed' });
    await expect(problem).toContainText('cannot be reached');
    await daemon.paseo('up');
    await expect(app.page.getByText('No connection to the daemon')).toHaveCount(0);
    await app.page.getByRole('button', { name: 'Close this message' }).click();
    expect((await daemon.inspect(handle)).status).not.toBe('closed');
    await app.choose('renamed', 'Close');
    await expect(app.row('renamed')).toContainText('closed');
    await expect(other.rows).toHaveCount(0);
    await expect(other.page.getByRole('switch', { name: 'Closed 1' })).toBeVisible();
});

test('hostile names and labels are only text', async ({ app, daemon }) => {
    const handle = await daemon.agent('x', '<<say hi>>', '--label', `env=${EVIL}`);
    await expect(app.row('x')).toContainText('idle');
    await daemon.paseo('rename', handle, EVIL);
    await expect(app.rows).toContainText(['<img src=x']);
    await expect(
        app.page.getByRole('button', { name: `env=${EVIL.replace('\u202e', '\\u{202e}')}` }),
    ).toBeVisible();
    await app.rows.hover();
    await app.page.getByRole('button', { name: /^Actions for <img/ }).click();
    await app.page.getByRole('menuitem', { name: 'Delete' }).click();
    await expect(app.page.getByRole('dialog')).toContainText('Delete “<img src=x');
    await app.page.getByRole('button', { name: 'Cancel' }).click();
    await app.page.getByRole('button', { name: /^Group by/ }).click();
    await app.page.getByRole('menuitemradio', { name: 'Label env' }).click();
    await expect(app.page.locator('.heading')).toContainText('env=<img src=x');
    await expect(app.page.locator('.panes img, .panes script')).toHaveCount(0);
    const wide = await app.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(wide).toBe(false);
});
