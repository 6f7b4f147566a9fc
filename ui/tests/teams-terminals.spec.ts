import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, test } from './app';
import type { Daemon } from './daemon';
import { visit } from './pages';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK = { viewport: { width: 1440, height: 900 } };

/** Workers of the team red, red-1 and on. */
async function workers(daemon: Daemon, count: number): Promise<void> {
    await daemon.paseo('team', 'create', 'red', '-C', daemon.work);
    for (let at = 1; at <= count; at++)
        await daemon.paseo(
            'worker',
            'start',
            `<<say ready ${at}>>`,
            '--team',
            'red',
            '--provider',
            'scripted',
        );
}

function tiles(page: Page): Locator {
    return page.getByRole('list', { name: 'Terminals' }).locator('[data-worker]');
}

function tile(page: Page, name: string): Locator {
    return page.getByRole('region', { name: `Terminal of ${name}`, exact: true });
}

test('a dozen tiles are live, others are captures, and a free slot is taken', async ({
    app,
    another,
    daemon,
    complaints,
}) => {
    // A tile that is left while it connects closes its socket, which the browser reports.
    complaints.allow(/WebSocket is closed before the connection is established/);
    test.slow();
    await workers(daemon, 14);
    const { page } = app;
    // All of them are in view at once.
    await page.setViewportSize({ width: 1440, height: 3600 });
    const emulators = new Set<string>();
    page.on('request', (request) => {
        if (/emulator/.test(request.url())) emulators.add(request.url());
    });
    await visit(page, '/app/teams/red');
    await expect(page.getByRole('button', { name: /^Terminals/ })).toContainText('14');
    // The emulator is loaded by those who look at a terminal.
    expect(emulators.size).toBe(0);
    await page.getByRole('button', { name: /^Terminals/ }).click();
    await expect(tiles(page)).toHaveCount(14);
    const live = tiles(page).filter({ has: page.locator('.xterm-rows', { hasText: 'ready' }) });
    const polled = tiles(page).filter({ hasText: 'Updated every few seconds' });
    await expect(live).toHaveCount(12);
    await expect(polled).toHaveCount(2);
    expect(emulators.size).toBeGreaterThan(0);
    for (const one of await polled.all())
        await expect(one.getByLabel('Screen as text')).toContainText('ready');
    // Which ones are live does not depend on what came first, but on their places on the page.
    const names = () =>
        polled.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset['worker'] ?? ''));
    expect(await names()).toEqual(['red-13', 'red-14']);

    // A person watches another one, and the last of those that nobody asked for gives way.
    await tile(page, 'red-14').getByRole('button', { name: 'Watch live' }).click();
    await expect(tile(page, 'red-14').getByRole('status')).toHaveText('Watching');
    await expect(tile(page, 'red-14').getByRole('button', { name: 'History' })).toBeFocused();
    expect(await names()).toEqual(['red-12', 'red-13']);
    await expectAccessible(page);
    // One that somebody has the keyboard of, elsewhere, keeps its slot.
    const other = await another(DESK);
    await visit(other.page, '/app/teams/red?part=terminals&worker=red-11');
    await tile(other.page, 'red-11').getByRole('button', { name: 'Take over' }).click();
    await expect(tile(page, 'red-11').getByRole('status')).toContainText('has the keyboard');
    await tile(page, 'red-13').getByRole('button', { name: 'Watch live' }).click();
    await expect(tile(page, 'red-13').getByRole('status')).toHaveText('Watching');
    expect(await names()).toEqual(['red-10', 'red-12']);
    await expect(live).toHaveCount(12);

    // One that is live ends, and the next one takes its slot.
    await daemon.paseo('worker', 'kill', 'red-2');
    await expect(tiles(page)).toHaveCount(13);
    await expect.poll(names).toEqual(['red-12']);
    await expect(live).toHaveCount(12);
    await expect(tile(page, 'red-10').locator('.xterm-rows')).toContainText('ready');
});

test('those that were seen before give way to those above them', async ({ app, daemon, complaints }) => {
    // A tile that is left while it connects closes its socket, which the browser reports.
    complaints.allow(/WebSocket is closed before the connection is established/);
    test.slow();
    await workers(daemon, 14);
    const { page } = app;
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, '/app/teams/red');
    await page.getByRole('button', { name: /^Terminals/ }).click();
    await tile(page, 'red-14').scrollIntoViewIfNeeded();
    await expect(tile(page, 'red-14').getByRole('status')).toHaveText('Watching');
    await expect(tile(page, 'red-1').locator('.xterm-rows')).toHaveCount(0);
    await page.setViewportSize({ width: 1440, height: 3600 });
    for (let at = 1; at <= 12; at++)
        await expect(tile(page, `red-${at}`).getByRole('status')).toHaveText('Watching');
    for (const at of [13, 14])
        await expect(tile(page, `red-${at}`).getByRole('status')).toHaveText('Updated every few seconds');
});

for (const [what, screen] of [
    ['phone', PHONE],
    ['desktop', DESK],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('a member leads to its tile, which is taken over and released', async ({
            app,
            daemon,
            complaints,
        }, info) => {
            // A tile that is left while it connects closes its socket, which the browser reports.
            complaints.allow(/WebSocket is closed before the connection is established/);
            test.slow();
            await workers(daemon, 3);
            const { page } = app;
            await visit(page, '/app/teams/red');
            const members = page.getByRole('button', { name: /^Members/ });
            if (await members.isVisible()) await members.click();
            await page.getByRole('link', { name: /^Terminal of red-3/ }).click();
            await expect(page.getByRole('link', { name: 'red-3', exact: true })).toBeFocused();
            const red = tile(page, 'red-3');
            await expect(red).toBeInViewport();
            await expect(red.locator('.xterm-rows')).toContainText('ready 3');
            await page.screenshot({ path: info.outputPath('watch.png') });
            await expectAccessible(page);

            await red.getByRole('button', { name: 'Take over' }).click();
            await expect(red.getByRole('status')).toHaveText('You have the keyboard');
            if (what === 'phone') {
                await red.getByRole('textbox', { name: 'Text for the terminal' }).fill('<<say from a tile>>');
                await red.getByRole('button', { name: 'Send' }).click();
            } else {
                await page.keyboard.type('<<say from a tile>>');
                await page.keyboard.press('Enter');
            }
            await expect(red.locator('.xterm-rows')).toContainText('>>from a tile');
            // It is in front of the others, with all the room.
            const room = await red.boundingBox();
            expect(room?.width).toBeGreaterThan(what === 'phone' ? 350 : 1000);
            await page.screenshot({ path: info.outputPath('hold.png') });
            await expectAccessible(page);
            await red.getByRole('button', { name: 'Release' }).click();
            await expect(red.getByRole('status')).toHaveText('Watching');
            await expect(tile(page, 'red-1')).toBeVisible();

            // The agent is one step away, with its terminal beside it, and back leads to the tiles.
            await page.getByRole('link', { name: 'red-2', exact: true }).click();
            await expect(page).toHaveURL(/\/app\/agents\//);
            await expect(tile(page, 'red-2').locator('.xterm-rows')).toContainText('ready 2');
            await expect(tiles(page)).toHaveCount(0);
            await expect(async () => {
                await page.goBack();
                await expect(tiles(page)).toHaveCount(3, { timeout: 1000 });
            }).toPass();
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            expect(wide, 'nothing sticks out').toBe(false);
        });
    });
