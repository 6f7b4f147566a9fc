import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, expectAccessible, test } from './app';
import { chip, close, form, prompt } from './newAgent';

const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
);

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('an agent is started, where the last one works', async ({ app, daemon }) => {
            const { page } = app;
            await daemon.define('default', "provider = 'scripted'");
            await daemon.agent('before', '<<say hi>>');
            await expect(app.row('before')).toBeVisible();
            if (what === 'phone')
                await page
                    .getByRole('navigation', { name: 'Tabs' })
                    .getByRole('link', { name: 'New agent' })
                    .click();
            else await page.keyboard.press('c');
            await expect(prompt(app)).toBeFocused();
            await expect(form(app).getByRole('button', { name: 'Directory: work' })).toBeVisible();
            await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled();
            await page.keyboard.type('<<say started here>>');
            if (what === 'phone') await page.getByRole('button', { name: 'Start' }).click();
            else await page.keyboard.press('Control+Enter');
            await expect(app.items('answer')).toHaveText(['started here']);
            await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
            // It is listed, and the form is not in the history.
            await page.goBack();
            await expect(app.rows).toHaveCount(2);
        });

        test('every choice reaches the agent, and the next one begins with it', async ({ app, daemon }) => {
            const { page } = app;
            await daemon.define('reviewer', "name = 'Reviewer'\nprovider = 'scripted'");
            await daemon.define('default', "provider = 'scripted'");
            await daemon.paseo('team', 'create', 'red');
            await page.goto(`${daemon.url}/app/new`);
            const { fields: directory } = await chip(app, 'Directory');
            await directory.getByRole('combobox', { name: 'Directory' }).fill(daemon.work);
            await page.keyboard.press('Enter');
            const { fields: definition } = await chip(app, 'Definition');
            await definition.getByRole('combobox').selectOption('reviewer');
            await close(app);
            const { fields: permissions } = await chip(app, 'Permissions');
            await permissions.getByRole('radio', { name: /^Ask first/ }).check();
            await expectAccessible(page);
            await close(app);
            const { fields: place } = await chip(app, 'Worktree');
            await place.getByRole('radio', { name: /^In place/ }).check();
            await close(app);
            const { fields: team } = await chip(app, 'Team');
            await team.getByRole('combobox', { name: 'Team' }).selectOption('red');
            await team.getByRole('combobox', { name: 'Role' }).selectOption('leader');
            await close(app);
            const { fields: labels } = await chip(app, 'Labels');
            await labels.getByRole('textbox').fill('area=web nonsense');
            await expect(labels).toContainText('“nonsense” is not a label');
            await labels.getByRole('textbox').fill('area=web');
            await close(app);
            const { fields: more } = await chip(app, 'Details');
            await more.getByRole('textbox', { name: 'Name' }).fill('<b>Named</b>');
            await expectAccessible(page);
            await close(app);
            await prompt(app).fill('<<say chosen>>');
            // The draft survives a reload.
            await page.reload();
            await expect(prompt(app)).toHaveValue('<<say chosen>>');
            await page.getByRole('button', { name: 'Start' }).click();
            await expect(app.items('answer')).toHaveText(['chosen']);
            await expect(page.getByRole('heading', { level: 1, name: '<b>Named</b>' })).toBeVisible();

            const id = page.url().split('/').at(-1)!;
            const session = await daemon.session(id);
            expect(session).toMatchObject({
                agent: 'reviewer',
                permissions: 'ask',
                team: 'red',
                name: '<b>Named</b>',
                labels: { ui: 'true', area: 'web' },
            });

            await page.goto(`${daemon.url}/app/new`);
            await expect(prompt(app)).toHaveValue('');
            await expect(form(app).getByRole('button', { name: 'Permissions: asks first' })).toBeVisible();
            await expect(form(app).getByRole('button', { name: 'Definition: Reviewer' })).toBeVisible();
            await expect(form(app).getByRole('button', { name: 'Details: details' })).toBeVisible();
        });

        test('the inbox starts an agent, with a pasted file', async ({ app, daemon }) => {
            await daemon.define('default', "provider = 'scripted'");
            await daemon.agent('before', '<<say hi>>');
            await expect(app.row('before')).toBeVisible();
            await app.inbox();
            await expect(prompt(app)).not.toBeFocused();
            await prompt(app).focus();
            await app.page.evaluate((base64) => {
                const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
                const data = new DataTransfer();
                data.items.add(new File([bytes], '<i>dot.png', { type: 'image/png' }));
                document.activeElement?.dispatchEvent(
                    new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
                );
            }, PNG.toString('base64'));
            await expect(form(app).getByRole('list', { name: 'Attached files' })).toContainText('<i>dot.png');
            // All of it survives a reload, however long.
            const long = 'word '.repeat(30_000);
            await prompt(app).fill(long);
            await expect(form(app).getByRole('button', { name: 'Start' })).toBeEnabled();
            await app.page.reload();
            await expect(prompt(app)).toHaveValue(long);
            await expect(form(app).getByRole('list', { name: 'Attached files' })).toContainText('<i>dot.png');
            await prompt(app).fill('<<say from the inbox>>');
            await expectAccessible(app.page);
            await form(app).getByRole('button', { name: 'Start' }).click();
            await expect(app.items('answer')).toHaveText([/^ ?Attached: <i>dot.png/, 'from the inbox']);
            await expect(app.page.getByRole('img', { name: /dot/ })).toBeVisible();
            await app.page.goBack();
            await expect(prompt(app)).toHaveValue('');
            await app.page.reload();
            await expect(prompt(app)).toHaveValue('');
            await expect(form(app).getByRole('list', { name: 'Attached files' })).toHaveCount(0);
        });
    });

test('a refusal is shown at its field, and nothing typed is lost', async ({ app, complaints, daemon }) => {
    complaints.allow(/40[04]/);
    const { page } = app;
    await daemon.agent('before', '<<say hi>>');
    await page.goto(`${daemon.url}/app/new`);
    await prompt(app).fill('look around');
    const { fields: directory } = await chip(app, 'Directory');
    const field = directory.getByRole('combobox', { name: 'Directory' });
    await field.fill('not/absolute');
    await expect(directory).toContainText('Give an absolute path');
    await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled();
    await field.fill('/nowhere/at/all');
    await close(app);
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(form(app).getByRole('alert')).toContainText('/nowhere/at/all');
    await expect(form(app).getByRole('button', { name: /^Directory: all\. / })).toBeVisible();
    await expect(prompt(app)).toHaveValue('look around');
    await expectAccessible(page);
    // Another directory, and the refusal is gone.
    const { fields: again } = await chip(app, 'Directory');
    await expect(again).toContainText('/nowhere/at/all');
    await again.getByRole('option', { name: /^work/ }).click();
    await expect(form(app).getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Start' })).toBeEnabled();
});

test('an agent that could not be started is started as soon as there is a connection', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/ERR_FAILED|Failed to load/);
    const { page } = app;
    await daemon.define('default', "provider = 'scripted'");
    await daemon.agent('before', '<<say hi>>');
    await expect(app.row('before')).toBeVisible();
    await page.keyboard.press('c');
    let attempts = 0;
    await page.route('**/api/sessions', (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        attempts++;
        return route.abort();
    });
    await prompt(app).fill('<<say started here>>');
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(page.getByRole('button', { name: 'Starting…' })).toBeVisible();
    // After the fourth attempt it would pause for at least three seconds.
    await expect.poll(() => attempts, { timeout: 20_000 }).toBe(4);
    await page.unroute('**/api/sessions');
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/, { timeout: 2500 });
    await expect(app.items('answer')).toHaveText(['started here']);
});

test('the last choices are remembered for each project', async ({ app, daemon }) => {
    const { page } = app;
    await daemon.define('default', "provider = 'scripted'");
    const other = join(dirname(daemon.work), 'other');
    await mkdir(other);
    const go = async (directory: string) => {
        await page.goto(`${daemon.url}/app/new`);
        const { fields } = await chip(app, 'Directory');
        await fields.getByRole('combobox', { name: 'Directory' }).fill(directory);
        await page.keyboard.press('Enter');
        await expect(form(app).getByRole('button', { name: /^Directory: / })).toContainText(
            directory.split('/').at(-1)!,
        );
    };
    const start = async (mode: RegExp, words: string) => {
        const { fields: permissions } = await chip(app, 'Permissions');
        await permissions.getByRole('radio', { name: mode }).check();
        await close(app);
        await prompt(app).fill(`<<say ${words}>>`);
        await page.getByRole('button', { name: 'Start' }).click();
        await expect(app.items('answer')).toHaveText([words]);
    };
    const mode = (name: string) => form(app).getByRole('button', { name: `Permissions: ${name}` });
    await go(daemon.work);
    await start(/^Ask first/, 'here');
    await go(other);
    await start(/^Full access/, 'there');
    await go(daemon.work);
    await expect(mode('asks first')).toBeVisible();
    await go(other);
    await expect(mode('full access')).toBeVisible();
});
