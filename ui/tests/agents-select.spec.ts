import { expect, expectAccessible, gate, test } from './app';

test('several agents at once, and what failed is listed', async ({ app, daemon, complaints }) => {
    test.slow();
    complaints.allow(/500/);
    const first = await daemon.agent('first', '<<say hi>>');
    await daemon.agent('second', '<<say hi>>');
    await daemon.agent('third', gate('never'));
    await expect(app.row('third')).toContainText('running');
    await expect(app.row('second')).toContainText('idle');
    const { keyboard } = app.page;
    const bar = app.page.getByRole('toolbar', { name: 'Selected agents' });
    await app.row('third').focus();
    await keyboard.press('x');
    await expect(bar).toContainText('1 selected');
    await app.row('first').click({ modifiers: ['Shift'] });
    await expect(bar).toContainText('3 selected');
    await expect(app.page).toHaveURL(/\/app\/agents$/);
    await expectAccessible(app.page);
    await keyboard.press('Escape');
    await expect(bar).toHaveCount(0);

    await app.row('first').hover();
    await app.page.getByRole('checkbox', { name: 'Select first' }).click();
    await bar.getByRole('button', { name: 'Select all 3' }).click();
    await expect(bar).toContainText('3 selected');
    // Stopping is only for those that work.
    await bar.getByRole('button', { name: 'Stop' }).click();
    await expect(app.row('third')).toContainText('stopped');
    // Those that it was done to are no longer selected.
    await expect(bar).toHaveCount(0);

    await app.row('first').hover();
    await app.page.getByRole('checkbox', { name: 'Select first' }).click();
    await bar.getByRole('button', { name: 'Select all 3' }).click();
    await bar.getByRole('button', { name: 'Label' }).click();
    const sheet = app.page.getByRole('dialog', { name: 'Labels of 3 agents' });
    await sheet.getByRole('combobox').fill('env=ci');
    await keyboard.press('Enter');
    await expect(sheet.getByRole('listitem')).toContainText(['env=ci', 'ui=true']);
    await keyboard.press('Escape');
    await expect(app.page.getByRole('button', { name: 'env=ci 3' })).toBeVisible();

    const { id } = (await daemon.inspect(first)) as unknown as { id: string };
    await app.page.route(
        `**/api/sessions/${id}/close`,
        (route) => route.fulfill({ status: 500, json: { code: 'internal', message: 'no room left' } }),
        { times: 1 },
    );
    await bar.getByRole('button', { name: 'Close' }).click();
    await expect(app.page.getByText('2 agents closed, 1 failed')).toBeVisible();
    await expect(app.page.getByRole('list', { name: 'Failed' })).toHaveText('first: no room left');
    // Those with which it failed are still selected.
    await expect(bar).toContainText('1 selected');
    await bar.getByRole('button', { name: 'Close' }).click();
    await app.page.mouse.move(900, 400);
    await expect(app.rows).toHaveCount(0);

    await app.page.getByRole('switch', { name: /^Closed 3/ }).click();
    await expect(app.rows).toHaveCount(3);
    await app.row('third').focus();
    await keyboard.press('x');
    await app.row('second').focus();
    await keyboard.press('x');
    await bar.getByRole('button', { name: 'Reopen' }).click();
    await expect(app.row('third')).not.toContainText('closed');
    // The rows may be there before the answer, with which they are no longer selected.
    await expect(bar).toBeHidden();
    await app.row('third').focus();
    await keyboard.press('x');
    await bar.getByRole('button', { name: 'Select all 3' }).click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    const dialog = app.page.getByRole('dialog', { name: 'Delete 3 agents?' });
    await expect(dialog.getByRole('listitem')).toHaveCount(3);
    await expectAccessible(app.page);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog).toHaveCount(0);
    await expect.poll(async () => (await daemon.paseo('ls', '-q', '--ui')).length).toBe(0);
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a finger that rests selects, and the menu comes from below', async ({ app, daemon }) => {
        test.slow();
        await daemon.agent('first', '<<say hi>>');
        await daemon.agent('second', '<<say hi>>');
        await expect(app.row('second')).toContainText('idle');
        const box = (await app.row('first').boundingBox())!;
        const at = { x: box.x + 100, y: box.y + 20 };
        const touch = await app.page.context().newCDPSession(app.page);
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at] });
        const bar = app.page.getByRole('toolbar', { name: 'Selected agents' });
        await expect(bar).toContainText('1 selected');
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
        await expect(app.page).toHaveURL(/\/app\/agents$/);
        // From then on a touch selects.
        await app.row('second').tap();
        await expect(bar).toContainText('2 selected');
        for (const button of await bar.getByRole('button').all())
            expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await expectAccessible(app.page);
        await bar.getByRole('button', { name: 'Clear the selection' }).tap();
        await expect(bar).toHaveCount(0);

        await app.page.getByRole('button', { name: 'Actions for second' }).tap();
        const menu = app.page.getByRole('menu', { name: 'second' });
        for (const item of await menu.getByRole('menuitem').all()) {
            const size = await item.boundingBox();
            expect(size?.height).toBeGreaterThanOrEqual(44);
            expect(size?.y).toBeGreaterThan(844 / 4);
        }
        await expectAccessible(app.page);
        await menu.getByRole('menuitem', { name: 'Close' }).tap();
        await expect(app.rows).toHaveCount(1);
        await app.page.getByRole('switch', { name: 'Closed 1' }).tap();
        await expect(app.row('second')).toContainText('closed');
        await expectAccessible(app.page);
    });
});
