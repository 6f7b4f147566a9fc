import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, test } from './app';
import { open, rows, worker } from './terminals';

/** Swipes with a finger, from the middle of an element. */
async function swipe(page: Page, on: Locator, down: number): Promise<void> {
    const box = await on.boundingBox();
    if (!box) throw new Error('not displayed');
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const touch = await page.context().newCDPSession(page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at?: number) =>
        touch.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x, y: at }] });
    await send('touchStart', y);
    for (let step = 1; step <= 8; step++) await send('touchMove', y + (down * step) / 8);
    await send('touchEnd');
    await touch.detach();
}

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a terminal is watched and typed into by a field and keys', async ({ app, daemon }, info) => {
        test.slow();
        await worker(daemon);
        const terminal = await open(app, daemon);
        const { page } = app;
        await expect(rows(page)).toContainText('ready');
        await page.screenshot({ path: info.outputPath('watch.png') });
        await terminal.getByRole('button', { name: 'Take over' }).tap();
        await expect(terminal.getByRole('status')).toHaveText('You have the keyboard');
        expect((await daemon.tmux('red-1', '#{window_width}x#{window_height}')).trim()).toBe('160x48');
        const field = terminal.getByRole('textbox', { name: 'Text for the terminal' });
        await field.fill('<<say from the phone>>');
        await page.screenshot({ path: info.outputPath('hold.png') });
        await expectAccessible(page);
        await terminal.getByRole('button', { name: 'Send' }).tap();
        await expect(rows(page)).toContainText('from the phone');
        await expect(field).toHaveValue('');
        // A line of the person's own, thrown away by Ctrl-U.
        await terminal
            .getByRole('group', { name: 'Keys' })
            .getByRole('button', { name: 'y', exact: true })
            .tap();
        await expect(rows(page)).toContainText('scripted> y');
        await terminal.getByRole('button', { name: 'Ctrl' }).tap();
        await terminal.getByRole('textbox', { name: 'Ctrl and a character' }).pressSequentially('u');
        await expect(rows(page)).not.toContainText('scripted> y');
        await terminal.getByRole('button', { name: 'Release' }).tap();
        await expect(terminal.getByRole('status')).toHaveText('Watching');
    });

    test('keys that phones do not have reach the program as terminals send them', async ({ app, daemon }) => {
        test.slow();
        await worker(daemon);
        const terminal = await open(app, daemon);
        const { page } = app;
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        // Shows each byte that it gets, without echo.
        await daemon.replace(
            'red-1',
            'stty raw -echo; printf "bytes:"; while c=$(dd bs=1 count=1 2>/dev/null | od -An -tx1); do printf "%s" "$c"; done',
        );
        await expect(rows(page)).toContainText('bytes:');
        await terminal.getByRole('button', { name: 'Take over' }).tap();
        await expect(terminal.getByRole('status')).toHaveText('You have the keyboard');
        const keys = terminal.getByRole('group', { name: 'Keys' });
        for (const [key, bytes] of [
            ['Tab', '09'],
            ['Up', '1b 5b 41'],
            ['Down', '1b 5b 42'],
            ['Right', '1b 5b 43'],
            ['Left', '1b 5b 44'],
            ['Enter', '0d'],
            ['n', '6e'],
            ['Escape', '1b'],
        ] as const) {
            await keys.getByRole('button', { name: key, exact: true }).tap();
            await expect(rows(page)).toContainText(new RegExp(`${bytes}\\s*$`));
        }
    });

    test('a swipe shows earlier lines, or scrolls the program that a person types into', async ({
        app,
        daemon,
    }) => {
        test.slow();
        await worker(daemon);
        const terminal = await open(app, daemon);
        const { page } = app;
        const screen = terminal.locator('.screen');
        await expect(terminal.getByRole('status')).toHaveText('Watching');
        await daemon.print('red-1', 'row-%s\\n', '$(seq 1 200)');
        await expect(rows(page)).toContainText('row-200');
        // To the side or up, there is nothing to see.
        await swipe(page, screen, -160);
        const history = terminal.getByLabel('History', { exact: true }).last();
        await swipe(page, screen, 160);
        await expect(terminal.getByRole('button', { name: 'History' })).toHaveAttribute(
            'aria-pressed',
            'true',
        );
        await expect(history).toContainText('row-1\n');
        await terminal.getByRole('button', { name: 'History' }).tap();

        // This program asks for the mouse, and the terminal echoes what it gets.
        await daemon.print('red-1', '\\033[?1000h\\033[?1006hmouse ');
        await expect(rows(page)).toContainText('mouse');
        await terminal.getByRole('button', { name: 'Take over' }).tap();
        await expect(terminal.getByRole('status')).toHaveText('You have the keyboard');
        await swipe(page, screen, 160);
        await expect(rows(page)).toContainText(/\[<64;\d+;\d+M/);
        await expect(rows(page)).not.toContainText('[<65');
        await swipe(page, screen, -160);
        await expect(rows(page)).toContainText(/\[<65;\d+;\d+M/);
        await expect(terminal.getByRole('button', { name: 'History' })).toHaveAttribute(
            'aria-pressed',
            'false',
        );
    });

    test('a tap leads to the field, which stays above the keyboard of the phone', async ({ app, daemon }) => {
        await worker(daemon);
        const terminal = await open(app, daemon);
        const { page } = app;
        await terminal.getByRole('button', { name: 'Take over' }).tap();
        const field = terminal.getByRole('textbox', { name: 'Text for the terminal' });
        await expect(field).not.toBeFocused();
        await terminal.locator('.screen').tap();
        await expect(field).toBeFocused();
        // The keyboard comes: the page is as high as before, and less of it can be seen.
        const keyboard = (height: number) =>
            page.evaluate((height) => {
                const viewport = window.visualViewport;
                Object.defineProperty(viewport, 'height', { value: height, configurable: true });
                viewport?.dispatchEvent(new Event('resize'));
            }, height);
        const bottom = async () => {
            const box = await field.boundingBox();
            return (box?.y ?? 0) + (box?.height ?? 0);
        };
        const before = await bottom();
        expect(before).toBeGreaterThan(508);
        await keyboard(508);
        await expect.poll(bottom).toBeLessThan(508);
        await expect(rows(page)).toContainText('ready');
        await keyboard(844);
        await expect.poll(bottom).toBe(before);
    });
});
