import { expect, expectAccessible, test } from './app';

test('without agents, the list leads to the form, and the inbox points at it', async ({ app }) => {
    const { page } = app;
    await expect(page.getByText('No agents here yet.')).toBeVisible();
    await expect(page.getByText('in a terminal')).toHaveCount(0);
    await app.inbox();
    await expect(page.getByText('Start the first one above')).toBeVisible();
    await expect(page.getByRole('textbox', { name: 'What should it do?' })).toBeVisible();
    await expectAccessible(page);
    await app.agents();
    await page.getByRole('link', { name: 'Start an agent' }).click();
    await expect(page).toHaveURL(/\/app\/new$/);
    await expect(page.getByRole('textbox', { name: 'What should it do?' })).toBeFocused();
});

test('without a provider, the form says how to get one, and how to look around', async ({ app }) => {
    const { page } = app;
    // As on a machine where nothing is installed: the daemon has no default.
    const capabilities = { models: false, efforts: [] };
    const scripted = { name: 'scripted', readiness: 'ready', capabilities };
    const claude = { name: 'claude', readiness: 'missing', capabilities };
    await page.route('**/api/providers', (route) =>
        route.fulfill({ json: { providers: [scripted, claude] } }),
    );
    await page.getByRole('link', { name: 'Start an agent' }).click();
    const callout = page.getByRole('region', { name: 'No provider is ready' });
    await expect(callout).toBeVisible();
    await expectAccessible(page);
    await expect(callout.getByRole('link', { name: 'Set up a provider' })).toHaveAttribute(
        'href',
        '/app/settings/providers',
    );
    await callout.getByRole('button', { name: 'Use the scripted provider' }).click();
    await expect(callout).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Provider: scripted' })).toBeVisible();
});

test('with a provider, the form says nothing about it', async ({ app }) => {
    await app.page.getByRole('link', { name: 'Start an agent' }).click();
    await expect(app.page.getByRole('button', { name: 'Provider: scripted' })).toBeVisible();
    await expect(app.page.getByRole('region', { name: 'No provider is ready' })).toHaveCount(0);
});
