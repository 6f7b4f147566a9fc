import { expect, test } from './app';

test('a number leads to a section, and N to a new agent, also while one writes', async ({ app, daemon }) => {
    const { page } = app;
    await daemon.agent('reader', '<<say hi>>');
    await app.open('reader');
    await app.composer.fill('half a thought');
    await page.keyboard.press('ControlOrMeta+1');
    await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+2');
    await expect(page).toHaveURL(/\/app\/agents$/);
    await page.keyboard.press('ControlOrMeta+7');
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+n');
    await expect(page).toHaveURL(/\/app\/new$/);
    await expect(page.getByRole('textbox', { name: 'What should it do?' })).toBeFocused();
    await page.keyboard.press('ControlOrMeta+2');
    await app.open('reader');
    await expect(app.composer).toHaveValue('half a thought');
});
