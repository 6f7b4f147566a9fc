import type { Locator } from '@playwright/test';
import { expect, expectAccessible, test, type App } from './app';
import type { Daemon } from './daemon';
import { Settings } from './settings';
import { rows } from './terminals';

async function seed(daemon: Daemon): Promise<void> {
    await daemon.agent('talker', '<<say ready>>');
}

/** Opens the person's shell beside an agent. */
async function openShell(app: App, daemon: Daemon): Promise<Locator> {
    const id = (await daemon.listed()).find(({ name }) => name === 'talker')?.id ?? '';
    await app.page.goto(new URL(`/app/agents/${id}?panel=shell`, app.page.url()).href);
    await app.page.getByRole('button', { name: 'Open your shell' }).click();
    const shell = app.page.getByRole('region', { name: 'Your shell' });
    await expect(shell.getByRole('status')).toHaveText('Your shell');
    return shell;
}

test('a shell is offered only while the setting is on', async ({ app, daemon }) => {
    await app.page.setViewportSize({ width: 1440, height: 900 });
    await seed(daemon);
    await app.agents();
    await app.open('talker');
    const panels = app.page.getByRole('group', { name: 'Panels' });
    await expect(panels.getByRole('button', { name: 'Files' })).toBeVisible();
    await expect(panels.getByRole('button', { name: 'Shell' })).toHaveCount(0);
    const settings = new Settings(app.page);
    await settings.open('permissions', 'Permissions');
    const own = settings.main.getByRole('switch', { name: 'Your own shells' });
    await own.click();
    await expect(own).toBeChecked();
    await app.agents();
    await app.open('talker');
    await panels.getByRole('button', { name: 'Shell' }).click();
    await expect(app.page.getByText('A shell of your own in this agent’s directory.')).toBeVisible();
    await expectAccessible(app.page);
    // Nothing has begun yet.
    await expect(app.items('note')).toHaveCount(0);
});

test.describe('on a desktop', () => {
    test.use({ viewport: { width: 1440, height: 900 } });

    test('a person works in a shell of their own beside an agent', async ({
        app,
        daemon,
        complaints,
    }, info) => {
        test.slow();
        complaints.allow(/WebSocket|ERR_|Failed to load|503/);
        await seed(daemon);
        await daemon.paseo('settings', 'set', 'web_shell', 'on');
        const { page } = app;
        let shell = await openShell(app, daemon);
        await expect(shell).toContainText(daemon.work);
        await expect(shell.getByRole('textbox', { name: 'Terminal' })).toBeFocused();
        await page.keyboard.type('own=kept; touch made-by-hand; echo "$own"-$((40+2))\n');
        await expect(rows(page)).toContainText('kept-42');
        await expect(app.items('note')).toHaveText(/A person opened a shell in the agent's directory/);
        await page.keyboard.type('stty size\n');
        const size = /(\d+) (\d+)/.exec(await rows(page).innerText());
        expect(Number(size?.[2])).not.toBe(160);
        await page.screenshot({ path: info.outputPath('shell.png') });
        await expectAccessible(page);

        // After a reload it is the same shell.
        await page.reload();
        shell = await openShell(app, daemon);
        await expect(rows(page)).toContainText('kept-42');
        await page.keyboard.type('echo again-"$own"\n');
        await expect(rows(page)).toContainText('again-kept');
        await page.keyboard.press('Shift+Escape');
        await expect(shell.getByRole('button', { name: 'End shell' })).toBeFocused();
        await page.keyboard.press('Enter');
        await expect(shell.getByRole('alert')).toHaveText('the shell has ended: the person closed it');
        await expect(app.items('note').last()).toContainText("The person's shell has ended");
        await shell.getByRole('button', { name: 'Close' }).click();
        await expect(page.getByRole('button', { name: 'Open your shell' })).toBeVisible();
        await expect(app.items('message')).toHaveCount(1);
    });
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a shell is typed into by a field and keys', async ({ app, daemon }, info) => {
        test.slow();
        await seed(daemon);
        await daemon.paseo('settings', 'set', 'web_shell', 'on');
        const shell = await openShell(app, daemon);
        const { page } = app;
        await shell.getByRole('textbox', { name: 'Text for the terminal' }).fill('echo phone-$((40+2))');
        await shell.getByRole('button', { name: 'Send' }).tap();
        await expect(rows(page)).toContainText('phone-42');
        await page.screenshot({ path: info.outputPath('phone.png') });
        await expectAccessible(page);
        // Tab completes, the arrow brings back what was typed, and Escape reaches the program.
        const keys = shell.getByRole('group', { name: 'Keys' });
        await keys.getByRole('button', { name: 'Up', exact: true }).tap();
        await expect(rows(page)).toContainText(/phone-42[\s\S]*echo phone-\$\(\(40\+2\)\)/);
        await shell.getByRole('button', { name: 'End shell' }).tap();
        await expect(shell.getByRole('alert')).toHaveText('the shell has ended: the person closed it');
    });
});
