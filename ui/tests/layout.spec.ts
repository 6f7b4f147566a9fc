import { count, expect, test } from './app';

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('one thumb is enough', async ({ app, daemon }) => {
        await daemon.agent('pocket', '<<say hi>><<hang>>');
        await daemon.agent('other', '<<say hi>>');
        await app.row('pocket').tap();
        await expect(app.items('answer')).toHaveText(['hi']);
        await expect(app.rows.first()).toBeHidden();

        await app.composer.fill('<<say instead>><<hang>>');
        await app.page.getByRole('radio', { name: 'Interrupt' }).tap();
        await app.page.getByRole('button', { name: 'Interrupt' }).tap();
        await expect(app.items('answer')).toHaveText(['hi', 'instead']);

        const wide = await app.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(wide).toBe(false);
        for (const button of await app.page.locator('footer').getByRole('button').all()) {
            const box = await button.boundingBox();
            expect(box?.height).toBeGreaterThanOrEqual(44);
            expect(box?.y).toBeGreaterThan(844 / 2);
        }

        await app.page.getByRole('button', { name: 'Stop' }).tap();
        await expect(app.page.getByText('Stopped. Send a message to continue.')).toBeVisible();
        await app.page.getByRole('button', { name: 'Back to the list' }).tap();
        await expect(app.rows).toHaveCount(2);
        await app.row('other').tap();
        await expect(app.rows.first()).toBeHidden();
        await app.page.goBack();
        await expect(app.rows.first()).toBeVisible();
    });

    test('a long message is folded at the end of a line', async ({ app, daemon }) => {
        const said = Array.from({ length: 40 }, (_, at) => `word ${at}`).join('\n');
        await daemon.agent('talker', `${said}\n<<say done>>`);
        await daemon.agent('terse', '<<say done>>');
        await app.row('talker').tap();
        await expect(app.items('answer')).toHaveText(['done']);
        const message = app.items('message').first();
        const folded = (await message.boundingBox())!.height;
        await message.getByRole('button', { name: 'Show all' }).tap();
        await expect.poll(async () => (await message.boundingBox())!.height).toBeGreaterThan(2 * folded);
        const button = message.getByRole('button', { name: 'Show less' });
        expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(44);
        await button.tap();
        await expect.poll(async () => (await message.boundingBox())!.height).toBe(folded);

        await app.page.goBack();
        await app.row('terse').tap();
        await expect(app.items('answer')).toHaveText(['done']);
        await expect(app.items('message').getByRole('button')).toHaveCount(0);
    });
});

test.describe('while one writes on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('the end of the transcript stays in view', async ({ app, daemon }) => {
        await daemon.agent('long', count(1, 40, 0));
        await app.row('long').tap();
        await expect(app.items('answer')).toHaveCount(40);
        await expect(app.items('answer').last()).toBeInViewport();
        for (let line = 1; line <= 9; line++) {
            await app.composer.press('Enter');
            await app.composer.pressSequentially(`${line}`);
        }
        await expect(app.items('answer').last()).toBeInViewport();
        await app.composer.fill('');
        await expect(app.items('answer').last()).toBeInViewport();
        await expect(app.page.getByRole('button', { name: 'Latest' })).toHaveCount(0);
    });
});

test('the keyboard is enough', async ({ app, daemon }) => {
    await daemon.agent('one', '<<say I am one>>');
    await daemon.agent('two', '<<say I am two>>');
    await expect(app.rows).toHaveCount(2);
    const { keyboard } = app.page;
    await keyboard.press('j');
    await expect(app.items('answer')).toHaveText(['I am two']);
    await keyboard.press('j');
    await expect(app.items('answer')).toHaveText(['I am one']);
    await keyboard.press('k');
    await expect(app.items('answer')).toHaveText(['I am two']);

    await keyboard.press('/');
    await expect(app.composer).toBeFocused();
    await keyboard.type('j/?');
    await expect(app.composer).toHaveValue('j/?');
    await keyboard.press('Shift+Enter');
    await keyboard.type('k');
    await expect(app.composer).toHaveValue('j/?\nk');
    await keyboard.press('Escape');
    await expect(app.composer).not.toBeFocused();

    await keyboard.press('?');
    await expect(app.page.getByRole('dialog')).toContainText('next agent');
    await keyboard.press('Escape');
    await expect(app.page.getByRole('dialog')).toHaveCount(0);
    await keyboard.press('Escape');
    await expect(app.page).toHaveURL(/\/app\/agents$/);
    await expect(app.row('two')).toBeFocused();
    await keyboard.press('ArrowDown');
    await expect(app.row('one')).toBeFocused();
    await keyboard.press('Enter');
    await expect(app.items('answer')).toHaveText(['I am one']);
});

test('the theme can be chosen and stays', async ({ app }) => {
    const background = () =>
        app.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    const toggle = app.page.getByRole('button', { name: /^Theme/ });
    await toggle.click();
    await toggle.click();
    await expect(toggle).toHaveAccessibleName('Theme: dark. Change');
    await expect.poll(background).not.toBe(light);
    await app.page.reload();
    await expect(toggle).toHaveAccessibleName('Theme: dark. Change');
});

for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`in ${colorScheme}`, () => {
        test.use({ colorScheme });

        test('what stands in empty fields can be read', async ({ app, daemon }) => {
            await daemon.agent('asks', '<<ask which?>>');
            await app.row('asks').click();
            // For words to the agent, in the transcript, the composer, and the filter of the list.
            await expect(app.page.getByPlaceholder(/./)).toHaveCount(3);
            const colours = await app.page.getByPlaceholder(/./).evaluateAll((fields) => {
                const faint = document.createElement('p');
                faint.style.color = 'var(--ink-faint)';
                document.body.append(faint);
                const { color } = getComputedStyle(faint);
                return fields
                    .map((field) => getComputedStyle(field, '::placeholder'))
                    .map((shown) => shown.color === color && shown.opacity === '1');
            });
            expect(colours).toEqual([true, true, true]);
        });
    });
}
