import { expect, expectAccessible, test } from './app';
import { open, rows, worker } from './terminals';

test.describe('on a desktop', () => {
    test.use({ viewport: { width: 1440, height: 900 } });

    test('a terminal is watched, taken over, typed into and released', async ({
        app,
        daemon,
        another,
    }, info) => {
        test.slow();
        await worker(daemon);
        const terminal = await open(app, daemon);
        const { page } = app;
        await expect(rows(page)).toContainText('ready');
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        await page.screenshot({ path: info.outputPath('watch.png') });
        await expectAccessible(page);

        // While watching, keys are the page's.
        await terminal.getByRole('textbox', { name: 'Terminal' }).focus();
        await page.keyboard.type('smuggled');
        await page.keyboard.press('Tab');
        await expect(terminal.getByRole('textbox', { name: 'Terminal' })).not.toBeFocused();

        await terminal.getByRole('button', { name: 'Take over' }).click();
        await expect(terminal.getByRole('status')).toHaveText('You have the keyboard');
        await expect(terminal.getByRole('textbox', { name: 'Terminal' })).toBeFocused();
        const size = async () => (await daemon.tmux('red-1', '#{window_width}x#{window_height}')).trim();
        await expect.poll(size).not.toBe('160x48');
        await page.keyboard.type('<<say typed in the page>>');
        await expect(rows(page)).toContainText('<<say typed in the page>>');
        await expect(rows(page)).not.toContainText('smuggled');
        await page.keyboard.press('Enter');
        await expect(app.items('answer').last()).toHaveText('typed in the page');
        await page.screenshot({ path: info.outputPath('hold.png') });
        await expectAccessible(page);

        // Another browser sees who has it, and takes it by force.
        const other = await another({ viewport: { width: 1440, height: 900 } });
        const theirs = await open(other, daemon);
        await expect(theirs.getByRole('status')).toContainText('has the keyboard');
        await theirs.getByRole('button', { name: 'Take over', exact: true }).click();
        await theirs.getByRole('button', { name: 'Take over anyway' }).click();
        await expect(theirs.getByRole('status')).toHaveText('You have the keyboard');
        await expect(terminal.getByRole('status')).toContainText('has the keyboard');

        // The way out of a terminal that takes all keys.
        await other.page.keyboard.press('Shift+Escape');
        await expect(theirs.getByRole('button', { name: 'Release' })).toBeFocused();
        await other.page.keyboard.press('Enter');
        await expect(theirs.getByRole('status')).toHaveText('Watching');
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        await expect.poll(size).toBe('160x48');
        await expect(app.items('note').filter({ hasText: 'took over the terminal' })).toHaveCount(2);
    });

    test('who watches during a take-over sees all of it, in its shape', async ({ app, daemon, another }) => {
        test.slow();
        await worker(daemon);
        const terminal = await open(app, daemon);
        const other = await another({ viewport: { width: 1100, height: 500 } });
        const theirs = await open(other, daemon);
        for (const each of [terminal, theirs]) await expect(each.getByRole('status')).toHaveText('Watching');
        await theirs.getByRole('button', { name: 'Take over' }).click();
        await expect(theirs.getByRole('status')).toHaveText('You have the keyboard');
        await expect(terminal.getByRole('status')).toContainText('has the keyboard');
        const size = async () => (await daemon.tmux('red-1', '#{window_width}x#{window_height}')).trim();
        await expect.poll(size).not.toBe('160x48');
        const [columns, lines] = (await size()).split('x').map(Number);
        // All rows of the holder are here, nothing is cut off, and the rest of the box is dark and empty.
        await expect(rows(app.page).locator('> div')).toHaveCount(lines ?? 0);
        await daemon.print('red-1', `\\033[2J\\033[1;1Hfirst\\033[${lines};${(columns ?? 0) - 3}Hlast`);
        await expect(rows(app.page)).toContainText('first');
        await expect(rows(app.page)).toContainText('last');
        const fits = () =>
            terminal.locator('.screen').evaluate((box) => {
                const screen = box.querySelector('.xterm-screen')?.getBoundingClientRect();
                const room = box.getBoundingClientRect();
                if (!screen) return 'nothing is drawn';
                const inside =
                    screen.left >= room.left - 1 &&
                    screen.right <= room.right + 1 &&
                    screen.top >= room.top - 1 &&
                    screen.bottom <= room.bottom + 1;
                const centred =
                    Math.abs(screen.left - room.left - (room.right - screen.right)) < 4 &&
                    Math.abs(screen.top - room.top - (room.bottom - screen.bottom)) < 4;
                return inside && centred ? 'fits' : JSON.stringify([screen, room]);
            });
        await expect.poll(fits).toBe('fits');
        await theirs.getByRole('button', { name: 'Release' }).click();
        await expect.poll(size).toBe('160x48');
        await expect(rows(app.page).locator('> div')).toHaveCount(48);
    });

    test('true colours and wide characters are drawn without inline styles', async ({ app, daemon }) => {
        await worker(daemon);
        const terminal = await open(app, daemon);
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        await daemon.print(
            'red-1',
            '\\033[38;2;255;120;10mcoloured\\033[0m \\033[48;5;33mpalette\\033[0m 😀|end',
        );
        const cell = rows(app.page).locator('span', { hasText: 'coloured' });
        await expect(cell).toHaveCSS('color', 'rgb(255, 120, 10)');
        await expect(rows(app.page)).toContainText('😀|end');
    });

    test('history and the screen are read as text', async ({ app, daemon }) => {
        await worker(daemon);
        const terminal = await open(app, daemon);
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        await daemon.print('red-1', 'row-%s\\n', '$(seq 1 1500)');
        await expect(rows(app.page)).toContainText('row-1500');
        await terminal.getByRole('button', { name: 'History' }).click();
        const text = terminal.getByLabel('History', { exact: true }).last();
        await expect(text).toContainText('row-1500');
        await expect(text).not.toContainText(/\brow-100\b/);
        await terminal.getByRole('button', { name: 'Earlier lines' }).click();
        await expect(text).toContainText(/\brow-100\b/);
        await expectAccessible(app.page);
        await terminal.getByRole('button', { name: 'Select text' }).click();
        const screen = terminal.getByLabel('Screen as text');
        await expect(screen).toContainText('row-1500');
        await expect(screen).not.toContainText(/\brow-1400\b/);
        await terminal.getByRole('button', { name: 'Select text' }).click();
        await terminal.getByRole('button', { name: 'Redraw' }).click();
        await expect(rows(app.page)).toContainText('row-1500');
    });

    test('what a program prints and calls itself stays text', async ({ app, daemon }) => {
        await worker(daemon);
        const terminal = await open(app, daemon);
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        const before = await app.page.title();
        // A title, a link, a clipboard write, a question that is answered by typing, markup, and text turned around.
        await daemon.print(
            'red-1',
            '\\033]0;<img src=x onerror=alert(1)>\\007\\033]8;;javascript:alert(2)\\007link\\033]8;;\\007' +
                '\\033]52;c;c3RvbGVu\\007\\033[c\\033[6n <b>bold</b> \\xe2\\x80\\xaegnp end',
        );
        await expect(rows(app.page)).toContainText('<b>bold</b>');
        await expect(app.page.locator('main img, main b, .xterm-rows a')).toHaveCount(0);
        expect(await app.page.title()).toBe(before);
        await terminal.getByRole('button', { name: 'History' }).click();
        const text = terminal.getByLabel('History', { exact: true }).last();
        await expect(text).toContainText('end');
        expect(await text.innerText()).not.toContain('\u202e');
        await expectAccessible(app.page);
    });

    test('a selection and all lines are copied', async ({ app, daemon }) => {
        await worker(daemon);
        const { page } = app;
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        const terminal = await open(app, daemon);
        await expect(rows(page)).toContainText('ready');
        const copied = () => page.evaluate(() => navigator.clipboard.readText());
        await rows(page).getByText('ready', { exact: true }).dblclick({ force: true });
        await page.keyboard.press('Control+c');
        await expect.poll(copied).toBe('ready');
        await terminal.getByRole('button', { name: 'Select text' }).click();
        await terminal.getByRole('button', { name: 'Copy all lines' }).click();
        await expect.poll(copied).toContain('scripted> <<say ready>>\nready');
    });

    test('a terminal comes back with the daemon, and says when it is gone', async ({
        app,
        daemon,
        complaints,
    }) => {
        complaints.allow(/WebSocket|ERR_|Failed to load/);
        await worker(daemon);
        const terminal = await open(app, daemon);
        await expect(rows(app.page)).toContainText('ready');
        await daemon.kill();
        await expect(terminal.getByRole('status')).toHaveText('Watching', { timeout: 15_000 });
        await daemon.print('red-1', 'after the restart');
        await expect(rows(app.page)).toContainText('after the restart', { timeout: 15_000 });
        await daemon.paseo('worker', 'kill', 'red-1');
        await expect(app.page.getByText('the terminal of red-1 no longer exists')).toBeVisible();
    });
});
