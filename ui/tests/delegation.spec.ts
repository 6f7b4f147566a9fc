import { expect, expectAccessible, gate, test } from './app';

const HELPER = "provider = 'scripted'\nis_subagent = true\nmodel = 'helper.script'";
const call = (tool: string, input: object) =>
    `<<tool ${tool} ${JSON.stringify(input).replaceAll('>', '\\>')}>>`;

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('work that was handed on is a card', async ({ app, daemon }) => {
            await daemon.write('helper.script', `${gate('go')}<<say Nothing here.\n\n<b\\>bold</b\\>>>`);
            await daemon.define('helper', HELPER);
            await daemon.paseo('settings', 'set', 'perm_summon', 'on');
            const task = 'look around <img src=x onerror=alert(1)>';
            await daemon.agent('leader', `${call('summon', { agent: 'helper', task })}<<say done>>`);
            await app.row('leader').click();
            const card = app.items('tool').getByRole('region');
            await expect(card).toContainText('running');
            await expect(card).toContainText(task);
            await expect(card).toContainText('helper');
            await expect(card.getByRole('link')).toHaveText(/^[0-9a-f]{4,}$/);

            await daemon.touch('go');
            await expect(app.items('answer')).toHaveText(['done']);
            await expect(card).toContainText('finished');
            const answer = card.getByRole('button');
            await expect(answer).toContainText('Nothing here.');
            await answer.click();
            await expect(card.locator('pre')).toHaveText('Nothing here.\n\n<b>bold</b>');
            await expect(card.locator('b, img')).toHaveCount(0);
            await expectAccessible(app.page);
            const wide = await app.page.evaluate(
                () => document.documentElement.scrollWidth > window.innerWidth,
            );
            expect(wide).toBe(false);

            await card.getByRole('link').click();
            await expect(app.page.getByRole('heading', { level: 1, name: 'look around' })).toBeVisible();
        });
    });

test('a failure is open, a message goes by handle, and what runs beside is followed', async ({
    app,
    daemon,
}) => {
    await daemon.write('helper.script', `${gate('go')}<<fail no luck>>`);
    await daemon.define('helper', HELPER);
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const target = await daemon.agent('target', '<<say ready>>');
    await expect(app.row('target')).toContainText('idle');
    const script =
        call('summon', { agent: 'nobody', task: 'try' }) +
        call('send_to_tab', { tab_id: target, message: 'hello there' }) +
        call('summon', { agent: 'helper', task: 'beside', background: true });
    await daemon.agent('leader', `${script}<<hang>>`);
    await app.open('leader');
    const cards = app.items('tool').getByRole('region');
    await expect(cards).toHaveCount(3);
    await expect(cards.nth(0)).toContainText('failed');
    await expect(cards.nth(0).locator('pre')).toContainText('agent definition `nobody` not found');
    await expect(cards.nth(1)).toContainText('hello there');
    await expect(cards.nth(1)).toContainText('sent');
    await expect(cards.nth(1).getByRole('link', { name: target })).toBeVisible();
    await expect(cards.nth(2)).toContainText('running');
    await daemon.touch('go');
    await expect(cards.nth(2)).toContainText('failed');
});
