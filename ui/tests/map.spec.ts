import { expect, expectAccessible, gate, test } from './app';
import type { Daemon } from './daemon';
import { boxes, overlaps, visitMap } from './mapped';

function tool(name: string, input: object): string {
    return `<<tool ${name} ${JSON.stringify(input).replaceAll('>', '\\>')}>>`;
}

/** A leader that waits for its helper, which wrote to a third agent. */
async function talking(daemon: Daemon): Promise<void> {
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const peer = await daemon.agent('peer', '<<say ready>>');
    await expect.poll(async () => (await daemon.inspect(peer)).status).toBe('idle');
    const send = tool('send_to_tab', { tab_id: peer, message: 'hello' });
    await daemon.write('helper.script', `<<usage 1200 30>>${send}${gate('go')}<<say helped>>`);
    await daemon.define(
        'helper',
        `provider = 'scripted'\nis_subagent = true\ntools = ['*']\n[[models]]\nmodel_id = '${daemon.work}/helper.script'\n`,
    );
    await daemon.agent('leader', tool('summon', { agent: 'helper', task: 'look around' }));
}

for (const [what, options] of [
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(options);

        test('the map shows who talks and who waits, live, and every node opens', async ({
            app,
            daemon,
            complaints,
        }) => {
            test.slow();
            complaints.allow(
                /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|NetworkError/,
            );
            const { page } = app;
            await visitMap(app);
            await expect(page.getByRole('heading', { name: 'No agent is running' })).toBeVisible();
            await expectAccessible(page);
            await talking(daemon);
            const node = (name: string) => page.locator('[data-node]').filter({ hasText: name });
            await expect(page.locator('[data-node]')).toHaveCount(3);
            await expect(node('leader')).toContainText(/waits for [0-9a-f]{4}/);
            await expect(node('look around')).toContainText(/1 message to [0-9a-f]{4}/);
            await expect(node('look around')).toContainText(/started by [0-9a-f]{4}/);
            if (what === 'desktop') {
                await expect(page.locator('[data-edge^="wait"]')).toHaveCount(1);
                await expect(page.locator('[data-edge^="spawn"]')).toHaveCount(1);
            } else await expect(page.locator('svg [data-edge]').first()).toBeHidden();
            expect(overlaps(await boxes(page))).toEqual([]);
            await expectAccessible(page);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
            expect(wide).toBe(false);
            await expect(page.getByRole('region', { name: 'Where the budget goes' })).toContainText(
                '1.2K tokens',
            );

            // The daemon dies: nobody runs any more, and what was said is still counted.
            await daemon.kill();
            await expect(page.getByRole('heading', { name: 'No agent is running' })).toBeVisible({
                timeout: 30_000,
            });
            await page.getByRole('button', { name: 'Show all open agents' }).click();
            await expect(node('look around')).toContainText(/1 message to [0-9a-f]{4}/);
            await expect(node('leader')).not.toContainText('waits for');

            await node('peer').getByRole('link').click();
            await expect(page.getByRole('heading', { level: 1, name: 'peer' })).toBeVisible();
            await page.goBack();
            await page
                .getByRole('link', { name: /^Request to/ })
                .first()
                .click();
            await expect(page.getByRole('heading', { level: 1, name: 'Request', exact: true })).toBeVisible();
        });
    });

for (const [what, options] of [
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
] as const)
    test.describe(`with a hundred agents that talk, on a ${what}`, () => {
        test.use(options);

        test('who waits and who talks is found among them, and nobody overlaps', async ({ app, daemon }) => {
            test.setTimeout(120_000);
            await Promise.all(
                Array.from({ length: 4 }, async (_, lane) => {
                    for (let at = 0; at < 24; at++)
                        await daemon.create({ name: `agent ${lane}-${at}`, labels: { ui: 'true' } });
                }),
            );
            await talking(daemon);
            const { page } = app;
            await visitMap(app, '?all=1');
            await expect(page.locator('[data-node]')).toHaveCount(99);
            const node = (name: string) => page.locator('[data-node]').filter({ hasText: name });
            await expect(node('leader')).toContainText(/waits for [0-9a-f]{4}/);
            await expect(node('look around')).toContainText(/1 message to [0-9a-f]{4}/);
            if (what === 'desktop') {
                await expect(page.locator('[data-edge^="wait"]')).toHaveCount(1);
                await expect(page.locator('[data-edge^="spawn"]')).toHaveCount(1);
            } else await expect(page.locator('svg [data-edge]').first()).toBeHidden();
            expect(overlaps(await boxes(page))).toEqual([]);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
            expect(wide).toBe(false);
            await expectAccessible(page);
            await node('leader').getByRole('link').first().click();
            await expect(page.getByRole('heading', { level: 1, name: 'leader' })).toBeVisible();
        });
    });

test.describe('with a hundred agents', () => {
    test('nobody overlaps, nobody jumps, and arrows lead from one to the next', async ({ app, daemon }) => {
        test.slow();
        await Promise.all(
            Array.from({ length: 4 }, async (_, lane) => {
                for (let at = 0; at < 25; at++)
                    await daemon.create({
                        name:
                            at === 0 && lane === 0
                                ? '<img src=x onerror=alert(1)>\u202egnp'
                                : `agent ${lane}-${at}`,
                        labels: { ui: 'true' },
                    });
            }),
        );
        const { page } = app;
        for (const width of [768, 1024, 1440]) {
            await page.setViewportSize({ width, height: 900 });
            await visitMap(app, '?all=1');
            await expect(page.locator('[data-node]')).toHaveCount(100);
            expect(overlaps(await boxes(page)), `${width}`).toEqual([]);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
            expect(wide, `${width}`).toBe(false);
        }
        await expectAccessible(page);
        await expect(page.locator('main img')).toHaveCount(0);
        expect(await page.getByRole('main').innerText()).not.toContain('\u202e');

        const before = new Map((await boxes(page)).map((box) => [box.id, box]));
        await daemon.create({ name: 'late', labels: { ui: 'true' } });
        await expect(page.locator('[data-node]')).toHaveCount(101);
        const moved = (await boxes(page)).filter(({ id, x, y }) => {
            const stood = before.get(id);
            return stood && (stood.x !== x || stood.y !== y);
        });
        expect(moved).toEqual([]);

        const first = page.locator('[data-node] a').first();
        await first.focus();
        await page.keyboard.press('ArrowRight');
        await expect(page.locator('[data-node] a').nth(1)).toBeFocused();
        await page.keyboard.press('ArrowDown');
        await expect(page.locator('[data-node] a').nth(1)).not.toBeFocused();
        await expect(page.locator('[data-node] a:focus')).toHaveCount(1);
        await page.keyboard.press('Enter');
        await expect(page).toHaveURL(/\/app\/agents\//);
    });
});
