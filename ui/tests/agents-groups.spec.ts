import { App, expect, expectAccessible, gate, test } from './app';

/** What the list looks like: headings with their numbers, and names under them. */
function listed(app: App): Promise<string[]> {
    return app.page.locator('.heading, [data-agent] .name').evaluateAll((parts) =>
        parts.map((part) => {
            if (!part.matches('.heading')) return `- ${part.textContent}`;
            const of = (name: string) => part.querySelector(name)?.textContent ?? '';
            return `${of('.words')} ${of('.count')}`;
        }),
    );
}

test('the list is divided as a person likes, and stays so', async ({ app, daemon }) => {
    await daemon.define('reviewer', "provider = 'scripted'");
    await daemon.agent('first', '<<say done>>', '--label', 'env=ci');
    await daemon.agent('second', '<<ask May I?>>', '--agent', 'reviewer');
    await expect(app.row('second')).toContainText('asks you');
    await expect(app.row('first')).toContainText('idle');
    await expect.poll(() => listed(app)).toEqual(['work 2', '- second', '- first']);

    const by = app.page.getByRole('button', { name: /^Group by/ });
    await by.click();
    await expectAccessible(app.page);
    await expect(app.page.getByRole('menuitemradio', { name: 'Project' })).toBeFocused();
    // Arrows and letters move in the menu, and no shortcut of the page is meant.
    await app.page.keyboard.press('ArrowDown');
    await expect(app.page.getByRole('menuitemradio', { name: 'Status' })).toBeFocused();
    await app.page.keyboard.press('l');
    await expect(app.page.getByRole('menuitemradio', { name: 'Label env' })).toBeFocused();
    await app.page.keyboard.press('Enter');
    await expect(by).toBeFocused();
    await expect.poll(() => listed(app)).toEqual(['env=ci 1', '- first', 'Without env 1', '- second']);

    await by.click();
    await app.page.getByRole('menuitemradio', { name: 'Definition' }).click();
    await expect.poll(() => listed(app)).toEqual(['reviewer 1', '- second', 'No definition 1', '- first']);
    await by.click();
    await app.page.getByRole('menuitemradio', { name: 'Status' }).click();
    await expect.poll(() => listed(app)).toEqual(['Asks you 1', '- second', 'Idle 1', '- first']);

    const asks = app.page.getByRole('button', { name: 'Asks you 1' });
    await asks.click();
    await expect(asks).toHaveAttribute('aria-expanded', 'false');
    await app.page.reload();
    await expect.poll(() => listed(app)).toEqual(['Asks you 1', 'Idle 1', '- first']);
    await expectAccessible(app.page);
});

test('nothing is just missing', async ({ app, daemon }) => {
    await expect(app.page.getByText('No agents here yet.')).toBeVisible();
    const background = app.page.getByRole('switch', { name: /^Background/ });
    const closed = app.page.getByRole('switch', { name: /^Closed/ });
    const hidden = await daemon.paseo('run', '-d', '--title', 'hidden', gate('go'));
    await daemon.agent('shown', '<<say hi>>');
    const over = await daemon.agent('over', '<<say hi>>');
    await expect(app.row('over')).toContainText('idle');
    await daemon.paseo('close', over);
    await expect(background).toHaveAccessibleName('Background 1');
    await expect(closed).toHaveAccessibleName('Closed 1');
    await expect(app.rows).toHaveCount(1);

    await background.click();
    await expect(app.row('hidden')).toContainText('running');
    // What happens to it comes by the stream, like that of others.
    await daemon.touch('go');
    await expect(app.row('hidden')).toContainText('idle');
    await daemon.paseo('rename', hidden, 'not so hidden');
    await expect(app.row('not so hidden')).toBeVisible();
    await closed.click();
    await expect(app.row('over')).toContainText('closed');
    await expect(app.rows).toHaveCount(3);

    // Both are remembered.
    await app.page.reload();
    await expect(app.rows).toHaveCount(3);
    await daemon.paseo('run', '-d', '--title', 'another', '<<say hi>>');
    await expect(app.row('another')).toContainText('idle');
    await background.click();
    await expect(app.rows).toHaveCount(2);
    await daemon.paseo('close', hidden);
    await expect(
        app.page.getByText('1 closed agent without ui=true. To list it, turn on Background, too.'),
    ).toBeVisible();
    await closed.click();
    await expect(app.rows).toHaveCount(1);
    await expect(background).toHaveAccessibleName('Background 1');
});

test('words and labels narrow the list', async ({ app, daemon }) => {
    await daemon.agent('Fix the login', '<<say hi>>', '--label', 'env=ci', '--label', 'area=web');
    await daemon.agent('Translate', '<<say hi>>', '--label', 'env=ci');
    await daemon.agent('Release', '<<say hi>>');
    await expect(app.rows).toHaveCount(3);
    await app.page.keyboard.press('f');
    const field = app.page.getByRole('textbox', { name: 'Filter agents' });
    await expect(field).toBeFocused();
    await field.pressSequentially('LOGIN fix');
    await expect(app.rows).toContainText(['Fix the login']);
    const matches = app.page.getByRole('search').getByRole('status');
    await expect(matches).toHaveText('1 of 3');
    await field.press('Escape');
    await expect(app.rows).toHaveCount(3);
    await expect(matches).toHaveText('');

    const chip = app.page.getByRole('button', { name: 'env=ci 2' });
    await chip.click();
    await expect(chip).toHaveAttribute('aria-pressed', 'true');
    await expect(app.rows).toHaveCount(2);
    await app.page.getByRole('button', { name: 'area=web' }).click();
    await expect(app.rows).toContainText(['Fix the login']);
    await expect(matches).toHaveText('1 of 3');
    // The filter is live.
    const late = await daemon.agent('Late', '<<say hi>>', '--label', 'env=ci');
    await expect(matches).toHaveText('1 of 4');
    await daemon.paseo('label', late, 'area=web');
    await expect(app.rows).toHaveCount(2);
    await field.fill('nothing like it');
    await expect(app.page.getByText('No agent matches.')).toBeVisible();
    await expectAccessible(app.page);
    await app.page.getByRole('button', { name: 'Clear the filter' }).first().click();
    await expect(app.rows).toHaveCount(4);
});

test('no row moves while a person points at the list', async ({ app, daemon }) => {
    await daemon.agent('quiet', '<<say hi>>');
    await expect(app.row('quiet')).toContainText('idle');
    await daemon.agent('loud', `${gate('ask')}<<ask May I?>>`);
    const leaving = await daemon.agent('leaving', '<<say hi>>');
    await expect(app.row('leaving')).toContainText('idle');
    const before = ['work 3', '- leaving', '- loud', '- quiet'];
    await expect.poll(() => listed(app)).toEqual(before);
    await app.row('quiet').hover();
    const at = await app.row('quiet').boundingBox();

    await daemon.touch('ask');
    await expect(app.row('loud')).toContainText('asks you');
    await daemon.paseo('close', leaving);
    await expect(app.row('leaving')).toContainText('closed');
    await daemon.agent('new one', '<<say hi>>');
    await expect(app.row('new one')).toBeVisible();
    const still = ['work 2', '- leaving', '- loud', '- quiet', 'New 1', '- new one'];
    await expect.poll(() => listed(app)).toEqual(still);
    expect(await app.row('quiet').boundingBox()).toEqual(at);

    await app.page.mouse.move(900, 400);
    await expect.poll(() => listed(app)).toEqual(['work 3', '- loud', '- new one', '- quiet']);

    // So does the keyboard, and the focus stays where it is.
    await app.page.keyboard.press('Tab');
    await app.row('new one').focus();
    await app.page.keyboard.press('ArrowDown');
    await expect(app.row('quiet')).toBeFocused();
    await daemon.agent('newer', '<<say hi>>');
    await expect(app.row('newer')).toBeVisible();
    await expect(app.row('quiet')).toBeFocused();
    const kept = ['work 3', '- loud', '- new one', '- quiet', 'New 1', '- newer'];
    await expect.poll(() => listed(app)).toEqual(kept);
});
