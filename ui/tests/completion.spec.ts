import { expect, expectAccessible, test } from './app';

test('commands and files are completed, for a new agent and in a conversation', async ({ app, daemon }) => {
    const { page } = app;
    await daemon.write('notes.md', 'roses');
    await daemon.agent('helper', '<<offer review: Look at a change | preview | test>>');
    await app.open('helper');
    const commands = page.getByRole('listbox', { name: 'Commands' });
    await app.composer.fill('/');
    await expect(commands.getByRole('option')).toHaveCount(3);
    await app.composer.fill('/re');
    await expect(commands.getByRole('option')).toHaveText([/^\/review\s+Look at a change$/, '/preview']);
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await expect(app.composer).toHaveValue('/preview ');
    await expect(app.composer).toBeFocused();
    await expect(commands).toHaveCount(0);
    // Enter chooses first, and sends then.
    await app.composer.fill('/rev');
    await expect(commands).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(app.composer).toHaveValue('/review ');
    await app.composer.fill('see @not');
    await page.getByRole('listbox', { name: 'Files' }).getByRole('option', { name: 'notes.md' }).click();
    await expect(app.composer).toHaveValue('see @notes.md ');
    await page.keyboard.press('Enter');
    await expect(app.composer).toHaveValue('');

    // A new agent of the same provider in the same place can be told the same.
    await page.keyboard.press('Escape');
    await page.goto(new URL('/app/new', page.url()).href);
    const prompt = page.getByRole('textbox', { name: 'What should it do?' });
    await prompt.fill('/te');
    await expect(commands.getByRole('option')).toHaveText(['/test']);
    await page.keyboard.press('Escape');
    await expect(commands).toHaveCount(0);
    await expect(prompt).toHaveValue('/te');
});
