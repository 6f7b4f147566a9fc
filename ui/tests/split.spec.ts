import { expect, expectAccessible, test, type App } from './app';

function panel(app: App, title: string) {
    return app.page.getByRole('complementary', { name: title });
}

async function box(app: App, title: string) {
    return (await panel(app, title).boundingBox())!;
}

async function toggle(app: App, title: string): Promise<void> {
    await app.page.getByRole('group', { name: 'Panels' }).getByRole('button', { name: title }).click();
    await expect(panel(app, title)).toBeVisible();
}

async function arrange(app: App, title: string, choice: string): Promise<void> {
    await panel(app, title)
        .getByRole('button', { name: `Arrange ${title}` })
        .click();
    const menu = app.page.getByRole('dialog', { name: `Arrange ${title}` });
    await menu.getByRole('button', { name: choice }).click();
    await expect(menu).toBeHidden();
}

test('panels move to a side, share their space, and are reset', async ({ app, daemon }) => {
    test.slow();
    await daemon.agent('worker', '<<say one>>');
    await app.open('worker');
    const { page } = app;
    await app.composer.fill('a draft');
    await toggle(app, 'Info');
    const main = page.getByRole('main');
    const before = (await main.boundingBox())!;
    expect((await box(app, 'Info')).x).toBeGreaterThan(before.x);

    await panel(app, 'Info').getByRole('button', { name: 'Arrange Info' }).click();
    const menu = page.getByRole('dialog', { name: 'Arrange Info' });
    await expect(menu).toBeVisible();
    await expectAccessible(page);
    // It is there already.
    await expect(menu.getByRole('button', { name: 'To the right side' })).toHaveCount(0);
    await menu.getByRole('button', { name: 'To the left side' }).click();
    await expect.poll(async () => (await box(app, 'Info')).x < (await main.boundingBox())!.x).toBe(true);

    await arrange(app, 'Info', 'To-do list, below');
    const [info, tasks] = [await box(app, 'Info'), await box(app, 'To-do list')];
    expect(tasks.x).toBe(info.x);
    expect(tasks.y).toBeGreaterThan(info.y);
    await arrange(app, 'To-do list', 'Below the conversation');
    await expect
        .poll(async () => (await box(app, 'To-do list')).y > (await main.boundingBox())!.y)
        .toBe(true);
    await arrange(app, 'To-do list', 'Family, beside');
    expect((await box(app, 'Family')).y).toBe((await box(app, 'To-do list')).y);
    // The conversation stayed what it was.
    await expect(app.composer).toHaveValue('a draft');

    const kept = await box(app, 'To-do list');
    await page.reload();
    await expect(panel(app, 'To-do list')).toBeVisible();
    expect(await box(app, 'To-do list')).toEqual(kept);
    await panel(app, 'Family').getByRole('button', { name: 'Close Family' }).click();
    await expect(panel(app, 'Family')).toHaveCount(0);
    await arrange(app, 'To-do list', 'Reset the layout');
    await expect(page.getByRole('complementary')).toHaveCount(0);
});

test('the list is resized by pointer and keyboard, and stays as it was left', async ({ app, daemon }) => {
    await daemon.agent('worker', '<<say one>>');
    await expect(app.row('worker')).toBeVisible();
    const { page } = app;
    const list = page.getByRole('navigation', { name: 'Agents' });
    const width = async () => Math.round((await list.boundingBox())!.width);
    const edge = page.getByRole('separator', { name: 'Resize the list of agents' });
    const before = await width();
    await edge.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(width).toBe(before + 16);
    await expect(edge).toHaveAttribute('aria-valuenow', String(before + 16));
    await page.keyboard.press('Home');
    await expect.poll(width).toBe(208);
    await expectAccessible(page);
    const from = (await edge.boundingBox())!;
    await page.mouse.move(from.x + 4, 300);
    await page.mouse.down();
    await page.mouse.move(from.x + 104, 300, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => Math.abs((await width()) - 308) < 4).toBe(true);
    const chosen = await width();
    await page.reload();
    await expect.poll(width).toBe(chosen);
    await edge.dblclick();
    await expect.poll(width).toBe(before);
});

test('labels are edited in the info panel, and ids are copied', async ({
    app,
    daemon,
    context,
    complaints,
}) => {
    test.slow();
    complaints.allow(/400|413/);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const handle = await daemon.agent('worker', '<<say one>>');
    await app.open('worker');
    await toggle(app, 'Info');
    const info = panel(app, 'Info');
    await expect(info).toContainText('ui=true');
    const field = info.getByRole('textbox', { name: 'New label' });
    await field.fill('area=<b>web</b>');
    await field.press('Enter');
    await expect(info).toContainText('area=<b>web</b>');
    await expect(field).toHaveValue('');
    await expectAccessible(app.page);
    await info.getByRole('button', { name: 'Remove label area' }).click();
    await expect(info).not.toContainText('area=');
    // What the daemon refuses is said, and stays in the field.
    const long = `k=${'x'.repeat(300)}`;
    await field.fill(long);
    await field.press('Enter');
    await expect(info.getByRole('alert')).toBeVisible();
    await expect(field).toHaveValue(long);
    await info.getByRole('button', { name: 'Copy handle' }).click();
    expect(await app.page.evaluate(() => navigator.clipboard.readText())).toBe(handle);
    await info.getByRole('button', { name: 'Tools' }).click();
    await expect(info).toContainText('On its own, it');
    await info.getByRole('button', { name: 'Added to its prompt' }).click();
    await expect(info.getByText('Nothing is added.').or(info.locator('pre'))).toBeVisible();
    await info.getByRole('link', { name: 'default' }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'default' })).toBeVisible();
    await app.page.goBack();
    await expect(info).toBeVisible();
});

test('the family panel shows who worked for a request, and stops all of it', async ({ app, daemon }) => {
    test.slow();
    await daemon.define('helper', "provider = 'scripted'\nis_subagent = true");
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const summon = JSON.stringify({ agent: 'helper', task: 'look around', background: true });
    await daemon.agent('leader', `<<tool summon ${summon}>><<hang>>`);
    await expect(app.row('leader')).toContainText('running');
    await expect(app.rows).toHaveCount(2);
    await app.row('leader').click();
    await toggle(app, 'Family');
    const request = panel(app, 'Family').getByRole('group', { name: 'Newest request' });
    await expect(request.getByRole('listitem')).toHaveCount(2);
    await expectAccessible(app.page);
    await request.getByRole('button', { name: 'Stop everything' }).click();
    const dialog = app.page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Stop everything' });
    await expect(confirm).not.toHaveAttribute('aria-disabled', 'true');
    await confirm.click();
    await expect(app.status()).toHaveText('stopped');
    await expect(request).toContainText('stopped');
    await expect(request.getByRole('button', { name: 'Stop everything' })).toHaveCount(0);
    await expect(request.getByRole('link', { name: 'Show the whole tree' })).toBeVisible();
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('going back leads to where the list was, and the palette opens by touch', async ({
        app,
        daemon,
    }) => {
        test.slow();
        for (let at = 0; at < 14; at++) await daemon.agent(`agent ${at}`, '<<say hi>>');
        await expect(app.rows).toHaveCount(14);
        const { page } = app;
        await app.row('agent 0').scrollIntoViewIfNeeded();
        const top = () => page.locator('[data-keeps-scroll]').evaluate((list) => list.scrollTop);
        await expect.poll(top).toBeGreaterThan(50);
        const before = await top();
        await app.row('agent 0').tap();
        await expect(app.items('answer')).toHaveText(['hi']);
        await page.goBack();
        await expect(app.row('agent 0')).toBeInViewport();
        await expect.poll(top).toBe(before);

        await page.getByRole('button', { name: 'More', exact: true }).tap();
        await page.getByRole('button', { name: 'Go anywhere, do anything' }).tap();
        await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
        await page.getByRole('option', { name: 'Search' }).first().tap();
        await expect(page).toHaveURL(/\/app\/search$/);
        // Three levels deep, and back one by one.
        await page.goto(`${daemon.url}/app`);
        await page.getByRole('button', { name: 'More', exact: true }).tap();
        await page.getByRole('link', { name: 'Settings' }).tap();
        await page.getByRole('link', { name: /^Definitions/ }).tap();
        await page
            .getByRole('link', { name: /default/ })
            .first()
            .tap();
        await expect(page).toHaveURL(/definitions\/default/);
        await page.goBack();
        await expect(page).toHaveURL(/\/app\/settings\/definitions$/);
        await page.goBack();
        await expect(page).toHaveURL(/\/app\/settings$/);
        await page.goBack();
        await expect(page).toHaveURL(/\/app$/);
    });
});
