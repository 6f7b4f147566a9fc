import { SHORTCUTS, shownKeys } from '../src/shell/shortcuts';
import { expect, expectAccessible, test } from './app';

test('the palette goes anywhere and does anything, by keyboard', async ({ app, daemon }) => {
    await daemon.agent('needle', '<<say found>>');
    await daemon.agent('haystack', '<<say hay>>');
    await expect(app.rows).toHaveCount(2);
    const { page } = app;
    const { keyboard } = page;
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    const options = palette.getByRole('option');

    // To an agent; what was typed is marked.
    await keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keyboard.type('ndl');
    await expect(options).toHaveText([/needle/, 'Search transcripts for “ndl”']);
    await expect(options.locator('mark')).toHaveText(['n', 'dl']);
    await expect(options.first()).toHaveAttribute('aria-selected', 'true');
    await keyboard.press('Enter');
    await expect(palette).toHaveCount(0);
    await expect(app.items('answer')).toHaveText(['found']);

    // Also while one writes; and nothing happens when it is closed.
    await app.composer.fill('a draft');
    await keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
    await expect(app.composer).toBeFocused();
    await expect(app.composer).toHaveValue('a draft');

    // To a page, with the arrows.
    await keyboard.press('Control+k');
    await expect(options.first()).toHaveText(/^Inbox/);
    await keyboard.press('ArrowDown');
    await expect(options.nth(1)).toHaveAttribute('aria-selected', 'true');
    await keyboard.press('ArrowUp');
    await keyboard.press('ArrowUp');
    await expect(options.last()).toHaveAttribute('aria-selected', 'true');
    await expect(options.last()).toBeInViewport();
    await keyboard.type('appear');
    await keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'Appearance' })).toBeFocused();

    // Does something, and offers only what applies here.
    await keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keyboard.type('stop the agent');
    await expect(options).toHaveText(['Search transcripts for “stop the agent”']);
    await palette.getByRole('combobox').fill('theme');
    await keyboard.press('Enter');
    await expect(page.getByRole('radio', { name: 'Light' })).toBeChecked();

    // Looks for words that are no page and no agent.
    await keyboard.press('Control+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await keyboard.type('xyzzy');
    await keyboard.press('Enter');
    await expect(page.getByRole('searchbox')).toHaveValue('xyzzy');
    await expect(page).toHaveURL(/\/app\/search\?q=xyzzy$/);
    await expect(page.getByText('No results for “xyzzy”.')).toBeVisible();
});

test('every shortcut is in the help, with the keys of the table', async ({ app }) => {
    await app.page.keyboard.press('?');
    const help = app.page.getByRole('dialog', { name: 'Keys' });
    const told = SHORTCUTS.filter(({ keys }) => keys.length > 0);
    await expect(help.locator('dt')).toHaveCount(told.length);
    const shown = await help
        .locator('dt')
        .evaluateAll((rows) =>
            rows.map((row) => [
                row.nextElementSibling?.textContent ?? '',
                [...row.querySelectorAll('kbd')].map((key) => key.textContent),
            ]),
        );
    // They stand below the places where they work, not in the order of the table.
    expect(Object.fromEntries(shown)).toEqual(
        Object.fromEntries(
            told.map(({ words, keys }) => [words, keys.flatMap((key) => [...shownKeys(key, false)])]),
        ),
    );
});

test('keys in a row lead to sections, and one stops the agent', async ({ app, daemon }) => {
    const { keyboard } = app.page;
    await daemon.agent('busy', '<<say on it>><<hang>>');
    for (const [keys, heading] of [
        ['i', 'Inbox'],
        [',', 'Settings'],
        ['a', 'Agents'],
    ] as const) {
        await keyboard.press('g');
        await keyboard.press(keys);
        await expect(app.page.getByRole('heading', { level: 1, name: heading })).toBeFocused();
    }
    await keyboard.press('g');
    await keyboard.press('s');
    await expect(app.page.getByRole('searchbox')).toBeFocused();
    await app.agents();
    await app.open('busy');
    await expect(app.items('answer')).toHaveText(['on it']);
    await keyboard.press('.');
    await expect(app.page.getByText('Stopped. Send a message to continue.')).toBeVisible();
});

test('what the palette has selected can be read in the dark', async ({ app, daemon }) => {
    const { page } = app;
    await page.emulateMedia({ colorScheme: 'dark' });
    await daemon.agent('worker', '<<say hi>>');
    await expect(app.row('worker')).toBeVisible();
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await expect(palette.locator('[aria-selected="true"] .detail')).toBeVisible();
    await expectAccessible(page);
});
