import { App, expect, expectAccessible, test } from './app';

function panel(app: App, title: string) {
    return app.page.getByRole('complementary', { name: title });
}

function button(app: App, title: string) {
    return app.page.getByRole('group', { name: 'Panels' }).getByRole('button', { name: title });
}

async function width(app: App, title: string): Promise<number> {
    return (await panel(app, title).boundingBox())?.width ?? 0;
}

test('panels open, are resized, stay, and are reset', async ({ app, daemon }) => {
    const handle = await daemon.agent('worker', '<<say one>>');
    await daemon.agent('other', '<<say two>>');
    await app.open('worker');
    const { page } = app;
    await expect(button(app, 'Info')).toHaveAttribute('aria-pressed', 'false');
    await app.composer.fill('a draft');
    await button(app, 'Info').click();
    await expect(panel(app, 'Info')).toContainText(handle);
    await button(app, 'To-do list').click();
    await expect(panel(app, 'To-do list')).toContainText('The agent has written no to-do list.');
    // What is in the conversation stays as it is.
    await expect(app.composer).toHaveValue('a draft');
    await expect(app.items('answer')).toHaveText(['one']);

    // By keyboard.
    const edge = page.getByRole('separator', { name: 'Resize the conversation' });
    const before = await width(app, 'Info');
    await expect(edge).toHaveAttribute('aria-valuenow', '63');
    await edge.focus();
    await page.keyboard.press('ArrowLeft');
    await expect(edge).toHaveAttribute('aria-valuenow', '57');
    await expect.poll(() => width(app, 'Info')).toBeGreaterThan(before);
    await page.keyboard.press('End');
    await expect(edge).toHaveAttribute('aria-valuenow', '88');
    await page.keyboard.press('Home');
    await expect(edge).toHaveAttribute('aria-valuenow', '13');

    // By pointer: the edge follows it.
    const box = (await edge.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 250, box.y + 200, { steps: 4 });
    await page.mouse.up();
    const middle = async () => (await edge.boundingBox())!.x + box.width / 2;
    await expect.poll(async () => Math.abs((await middle()) - (box.x + 250))).toBeLessThan(2);
    const chosen = await width(app, 'Info');

    // They follow the agent that is open, and stay over a reload.
    await app.open('other');
    await expect(panel(app, 'Info')).not.toContainText(handle);
    await page.reload();
    await expect(panel(app, 'Info')).toBeVisible();
    await expect(panel(app, 'To-do list')).toBeVisible();
    await expect.poll(() => width(app, 'Info')).toBeCloseTo(chosen, 0);

    await panel(app, 'To-do list').getByRole('button', { name: 'Close To-do list' }).click();
    await expect(panel(app, 'To-do list')).toHaveCount(0);
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
    await page.keyboard.type('reset the layout');
    await page.keyboard.press('Enter');
    await expect(panel(app, 'Info')).toHaveCount(0);
    await expect(edge).toHaveCount(0);
    await page.reload();
    await expect(app.items('answer')).toHaveText(['two']);
    await expect(panel(app, 'Info')).toHaveCount(0);
});

test('a layout that cannot be read is the default', async ({ app, daemon }) => {
    await daemon.agent('worker', '<<say one>>');
    await app.page.evaluate(() => localStorage.setItem('paseo.panels', '{"version":1,"panels":[]}'));
    await app.page.reload();
    await app.open('worker');
    await expect(app.page.getByRole('region', { name: 'Panel borders' })).toHaveCount(0);
    await expect(app.items('answer')).toHaveText(['one']);
});

test('each tab has its own layout, and a new one begins with the last', async ({ app, daemon, context }) => {
    test.slow();
    await daemon.agent('worker', '<<say one>>');
    await daemon.agent('other', '<<say two>>');
    await app.open('worker');
    await button(app, 'Info').click();
    await panel(app, 'Info').getByRole('button', { name: 'Arrange Info' }).click();
    await app.page.getByRole('button', { name: 'Keep on this agent' }).click();
    // One more of the same type, for the agent that is open.
    await app.open('other');
    await button(app, 'Info').click();
    await expect(app.page.getByRole('complementary')).toHaveCount(2);
    await expect(panel(app, 'Info of worker')).toBeVisible();
    await expectAccessible(app.page);

    const second = new App(await context.newPage());
    await second.page.goto(app.page.url());
    await expect(second.page.getByRole('complementary')).toHaveCount(2);
    await panel(second, 'Info of worker').getByRole('button', { name: 'Close Info of worker' }).click();
    await button(second, 'To-do list').click();
    await button(app, 'Family').click();
    for (const [tab, titles] of [
        [app, ['Info of worker', 'Info', 'Family']],
        [second, ['Info', 'To-do list']],
    ] as const) {
        await tab.page.reload();
        const names = () =>
            tab.page.getByRole('complementary').evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel));
        await expect.poll(names).toEqual(titles);
    }
});

test('a panel that this version does not know can be closed, and the others stay', async ({
    app,
    daemon,
}) => {
    const handle = await daemon.agent('worker', '<<say one>>');
    await app.page.evaluate(() => {
        const panels = ['main', 'newer', 'info'].map((type) => ({
            id: type,
            type,
            binding: {},
            title: type,
        }));
        const layout = {
            split: 'row',
            parts: panels.map(({ id }) => ({ panel: id })),
            sizes: [0.5, 0.25, 0.25],
        };
        localStorage.setItem(
            'paseo.panels',
            JSON.stringify({ version: 1, panels, layout, selected: 'main' }),
        );
    });
    await app.page.reload();
    await app.open('worker');
    await expect(panel(app, 'info')).toContainText(handle);
    await expect(panel(app, 'newer')).toContainText('does not know this panel');
    await expectAccessible(app.page);
    await panel(app, 'newer').getByRole('button', { name: 'Close the panel' }).click();
    await expect(panel(app, 'newer')).toHaveCount(0);
    await expect(panel(app, 'info')).toContainText(handle);
});

test('the family of an agent is a panel, and its address opens it', async ({ app, daemon }) => {
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const summon = JSON.stringify({ agent: 'helper', task: 'look around', background: true });
    await daemon.agent('leader', `<<tool summon ${summon}>><<hang>>`);
    await expect(app.row('look around')).toContainText('idle');
    await app.open('leader');
    await app.page.goto(`${app.page.url()}?panel=family`);
    const family = panel(app, 'Family');
    const tree = family.getByRole('list', { name: 'Family' });
    await expect(tree.getByRole('listitem')).toHaveText([/leader/, /look around/]);
    await expect(app.page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
    await tree.getByRole('link', { name: 'look around' }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'look around' })).toBeVisible();
    await expect(tree.getByRole('listitem')).toHaveText([/leader/, /look around/]);
});

for (const [what, viewport] of [
    ['a phone', { width: 390, height: 844 }],
    ['a tablet', { width: 820, height: 1100 }],
] as const)
    test.describe(`on ${what}`, () => {
        test.use({ viewport, hasTouch: true, isMobile: true });

        test('a panel is a sheet, and back closes it', async ({ app, daemon }) => {
            const handle = await daemon.agent('worker', '<<say one>>');
            await app.row('worker').tap();
            await expect(app.items('answer')).toHaveText(['one']);
            await button(app, 'Info').tap();
            const sheet = app.page.getByRole('dialog', { name: 'Info' });
            await expect(sheet).toContainText(handle);
            await expect(app.page).toHaveURL(/\?panel=info$/);
            await sheet.getByRole('button', { name: 'To-do list' }).tap();
            const tasks = app.page.getByRole('dialog', { name: 'To-do list' });
            await expect(tasks).toContainText('The agent has written no to-do list.');
            await app.page.goBack();
            await expect(app.page.getByRole('dialog')).toHaveCount(0);
            await expect(app.items('answer')).toHaveText(['one']);

            await button(app, 'Info').tap();
            await sheet.getByRole('button', { name: 'Close' }).tap();
            await expect(app.page.getByRole('dialog')).toHaveCount(0);
            await expect(app.page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
            await app.page.reload();
            await expect(app.items('answer')).toHaveText(['one']);
        });
    });

test('panels that share a column are scrolled by the keyboard', async ({ app, daemon }) => {
    await app.page.setViewportSize({ width: 1280, height: 500 });
    await daemon.agent('worker', '<<say hi>>');
    await app.open('worker');
    const { page } = app;
    for (const panel of ['To-do list', 'Family', 'Files', 'Info'])
        await page.getByRole('button', { name: panel, exact: true }).click();
    await expect(page.getByRole('complementary', { name: 'Info' })).toContainText('Definition');
    await expectAccessible(page);
    const family = page.getByRole('region', { name: 'Family content' });
    await family.focus();
    await expect(family).toBeFocused();
});
