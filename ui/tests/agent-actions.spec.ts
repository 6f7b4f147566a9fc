import { expect, gate, test } from './app';

for (const [what, screen] of [
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('all that a row can do, an open agent can', async ({ app, daemon, complaints }) => {
            // Its page may ask for something while it is deleted.
            complaints.allow(/404/);
            const handle = await daemon.agent('worker', '<<say hi>>');
            await app.open('worker');
            const { page } = app;
            const choose = async (action: string) => {
                await page.getByRole('button', { name: 'Actions for this agent' }).click();
                await page.getByRole('menuitem', { name: action }).click();
            };
            await choose('Pin');
            await expect.poll(async () => (await daemon.session(handle))['pinned_at']).toBeTruthy();
            await choose('Rename');
            await page.getByRole('textbox', { name: 'Name of the agent' }).fill('renamed');
            await page.keyboard.press('Enter');
            await expect(page.getByRole('heading', { level: 1, name: 'renamed' })).toBeVisible();
            await choose('Close');
            await expect(app.status()).toHaveText('closed');
            await choose('Reopen');
            await expect(app.status()).toHaveText('idle');
            await choose('Delete');
            const dialog = page.getByRole('dialog', { name: 'Delete “renamed”?' });
            const button = dialog.getByRole('button', { name: 'Delete' });
            await expect(button).toBeEnabled();
            await button.click();
            await expect(page).toHaveURL(/\/app\/agents$/);
            await expect(app.rows).toHaveCount(0);
        });

        test('a message shows that the agent has it, then that it was answered', async ({ app, daemon }) => {
            await daemon.agent('worker', '<<say hi>>');
            await app.open('worker');
            await expect(app.items('message').getByRole('img', { name: 'answered' })).toBeVisible();
            await app.send(`${gate('go')}<<say done>>`, 'Control+Enter');
            const last = app.items('message').last();
            await expect(last).toContainText('until [ -e go ]');
            await expect(last.getByRole('img', { name: 'handed' })).toBeVisible();
            await daemon.touch('go');
            await expect(last.getByRole('img', { name: 'answered' })).toBeVisible();
        });
    });

test('why an action failed, the header says', async ({ app, daemon, complaints }) => {
    complaints.allow(/409|Failed to load/);
    await daemon.agent('worker', '<<say hi>>');
    await app.open('worker');
    const refusal = { code: 'conflict', message: 'not now', hint: null };
    await app.page.route('**/close', (route) => route.fulfill({ status: 409, json: refusal }));
    await app.page.keyboard.press('Control+k');
    await app.page.keyboard.type('close');
    await app.page.getByRole('option', { name: 'Close', exact: true }).click();
    const alert = app.page.getByRole('alert');
    await expect(alert).toHaveText('Close failed: not now');
    await app.page.getByRole('button', { name: 'Close this message' }).click();
    await expect(alert).toHaveCount(0);
});

test('e archives an agent in the list, and its row shows its branch', async ({ app, daemon }) => {
    await daemon.repository();
    await daemon.agent('worker', '<<tool set_branch {"name":"fix-login"}>>');
    await expect(app.row('worker')).toContainText('idle');
    await expect(app.row('worker')).toContainText('fix-login');
    await app.row('worker').focus();
    await app.page.keyboard.press('e');
    await app.inbox();
    await expect(app.page.getByText('Nothing needs you.')).toBeVisible();
});

test('a panel is kept on an agent, also after a reload, and follows again', async ({ app, daemon }) => {
    await daemon.agent('one', '<<say hi>>');
    await daemon.agent('two', '<<say ho>>');
    await app.open('one');
    const { page } = app;
    await page.getByRole('button', { name: 'Info', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'Info' });
    const id = async () => (await panel.innerText()).match(/[0-9a-f]{8}-[0-9a-f-]{27}/)?.[0];
    await expect(panel).toContainText('Definition');
    const one = await id();
    const arrange = async (action: string) => {
        await panel.getByRole('button', { name: 'Arrange Info' }).click();
        await page.getByRole('button', { name: action }).click();
    };
    await arrange('Keep on this agent');
    await expect(panel.getByRole('heading', { name: 'Info' })).toContainText('one');
    await app.open('two');
    expect(await id()).toBe(one);
    await page.reload();
    await expect(panel.getByRole('heading', { name: 'Info' })).toContainText('one');
    await arrange('Follow the open agent');
    await expect.poll(id).not.toBe(one);
});

test('files of a draft are still there after a reload', async ({ app, daemon }) => {
    await daemon.agent('reader', '<<say ready>>');
    await app.open('reader');
    const chips = app.page.getByRole('form', { name: 'Message' }).getByRole('listitem');
    const buffer = Buffer.from('# Notes\n');
    await app.page
        .locator('input[type=file]')
        .setInputFiles({ name: 'notes.md', mimeType: 'text/markdown', buffer });
    await expect(chips).toHaveText(['notes.md 8 bytes']);
    await app.page.reload();
    await expect(chips).toHaveText(['notes.md 8 bytes']);
    await app.send('read this');
    await expect(app.items('message').last()).toContainText('notes.md');
    await expect(chips).toHaveCount(0);
    await app.page.reload();
    await expect(app.items('message').last()).toContainText('notes.md');
    await expect(chips).toHaveCount(0);
});

test('a search is narrowed by kind, who, when and project, which the address keeps', async ({
    app,
    daemon,
}) => {
    const handle = await daemon.agent('bird', '<<say the quetzal sings>>');
    await daemon.paseo('wait', handle);
    await expect.poll(() => daemon.paseo('search', 'quetzal')).toContain('quetzal');
    const { page } = app;
    await page.goto(new URL('/app/search?q=quetzal', page.url()).href);
    const hits = page.getByRole('list', { name: 'Results' }).getByRole('article');
    await expect(hits).toHaveCount(2);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Answers');
    await expect(hits).toHaveCount(1);
    await expect(page).toHaveURL(/kind=answered/);
    await page.getByRole('combobox', { name: 'Who' }).selectOption('People');
    await expect(hits).toHaveCount(0);
    await page.getByRole('combobox', { name: 'Who' }).selectOption('bird · work');
    await page.getByRole('combobox', { name: 'When' }).selectOption('Last day');
    await page.getByRole('combobox', { name: 'Project' }).selectOption('work');
    await expect(hits).toHaveCount(1);
    await page.reload();
    await expect(hits).toHaveCount(1);
    await expect(page.getByRole('combobox', { name: 'Kind' })).toHaveValue('answered');
    await expect(page.getByRole('searchbox')).toHaveValue('quetzal');
});
