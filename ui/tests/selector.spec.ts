import { expect, expectAccessible, gate, test, type App } from './app';
import type { Daemon } from './daemon';

async function define(daemon: Daemon): Promise<void> {
    await daemon.define('default', "name = 'General'\nprovider = 'scripted'");
    const journal = "name = '<b>Journal</b>'\ndescription = 'Keeps notes'\nprovider = 'scripted'";
    await daemon.place('journal.toml', journal);
    await daemon.place('helper.toml', "name = 'Helper'\nprovider = 'scripted'\nis_subagent = true");
    await daemon.place('secret.toml', "name = 'Secret'\nprovider = 'scripted'\nui_visible = false");
}

async function select(app: App) {
    await app.page.getByRole('button', { name: /^Switch agent/ }).click();
    const sheet = app.page.getByRole('dialog', { name: 'Switch agent' });
    await expect(sheet.getByRole('listitem').first()).toBeVisible();
    return sheet;
}

const JOURNAL = '<b>Journal</b>';

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('a person switches with a message, and returns with a summary', async ({ app, daemon }) => {
            // Three turns, and all of the page looked at twice.
            test.slow();
            await define(daemon);
            await daemon.agent('general talk', '<<say hi>>');
            await app.open('general talk');
            const { page } = app;
            const first = page.url();
            const sheet = await select(app);
            // Neither subagents nor what is hidden; the current one is marked.
            await expect(sheet.getByRole('listitem')).toHaveCount(2);
            await expect(sheet.locator('[aria-current]')).toContainText('General');
            await expect(sheet).toContainText('Keeps notes');
            await expect(sheet).toContainText('Starts a new session');
            await expectAccessible(page);
            await sheet.getByRole('textbox', { name: /^Initial message/ }).fill('<<say noted>>');
            await sheet.getByRole('button', { name: new RegExp(`^${JOURNAL}`) }).click();
            await expect(app.items('answer')).toHaveText(['noted']);
            await expect(
                page.getByRole('button', { name: `Switch agent, current: ${JOURNAL}` }),
            ).toBeVisible();
            expect(page.url()).not.toBe(first);

            // A question of one's own: its answer is taken along.
            await page.getByRole('button', { name: 'Return to general talk' }).click();
            const way = page.getByRole('dialog', { name: 'Return to general talk' });
            await expect(way.getByRole('radio', { name: /summary/ })).toBeChecked();
            await way.getByRole('radio', { name: /question/ }).check();
            await expect(way.getByRole('button', { name: 'Return', exact: true })).toBeDisabled();
            await way.getByRole('textbox').fill('<<say we chose blue>>');
            await expectAccessible(page);
            await way.getByRole('button', { name: 'Return', exact: true }).click();
            await expect(page).toHaveURL(first);
            await expect(app.items('message').filter({ hasText: 'we chose blue' })).toBeVisible();
            await expect(page.getByRole('button', { name: /^Return to/ })).toHaveCount(0);
        });

        test('choosing opens the latest session, and a new session is always made', async ({
            app,
            daemon,
        }) => {
            await define(daemon);
            await daemon.agent('general talk', '<<say hi>>');
            await app.open('general talk');
            const { page } = app;
            const first = page.url();
            await (await select(app)).getByRole('button', { name: new RegExp(`^${JOURNAL}`) }).click();
            await expect(page).not.toHaveURL(first);
            const second = page.url();
            await page.goBack();
            await expect(page).toHaveURL(first);
            await (await select(app)).getByRole('button', { name: new RegExp(`^${JOURNAL}`) }).click();
            await expect(page).toHaveURL(second);
            await (await select(app)).getByRole('button', { name: `New session: ${JOURNAL}` }).click();
            await expect(page).not.toHaveURL(second);
            await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
            await expect(page.getByRole('button', { name: /^Return to/ })).toBeVisible();
            await page.goBack();
            await expect(page).toHaveURL(second);
        });

        test('back closes the selector', async ({ app, daemon }) => {
            await define(daemon);
            await daemon.agent('general talk', '<<say hi>>');
            await app.open('general talk');
            const at = app.page.url();
            await select(app);
            await app.page.goBack();
            await expect(app.page.getByRole('dialog')).toHaveCount(0);
            await expect(app.page).toHaveURL(at);
        });
    });

test('nothing is taken along, if that is chosen', async ({ app, daemon }) => {
    await define(daemon);
    await daemon.agent('general talk', '<<say hi>>');
    await app.open('general talk');
    const { page } = app;
    await page.keyboard.press('s');
    const sheet = page.getByRole('dialog', { name: 'Switch agent' });
    await sheet.getByRole('button', { name: new RegExp(`^${JOURNAL}`) }).click();
    await page.getByRole('button', { name: 'Return to general talk' }).click();
    await page.getByRole('radio', { name: 'Nothing' }).check();
    await page.getByRole('button', { name: 'Return', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'general talk' })).toBeVisible();
    await expect(app.items('answer')).toHaveText(['hi']);
});

test('a return that fails says why, and one that takes long does not hold the person', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/409/);
    await define(daemon);
    await daemon.agent('general talk', '<<say hi>>');
    await app.open('general talk');
    const { page } = app;
    await (await select(app)).getByRole('button', { name: new RegExp(`^${JOURNAL}`) }).click();
    const opener = page.getByRole('button', { name: /^Return to general talk/ });
    const way = page.getByRole('dialog', { name: 'Return to general talk' });
    await opener.click();
    await way.getByRole('radio', { name: /question/ }).check();
    await way.getByRole('textbox').fill('<<fail out of words>>');
    await way.getByRole('button', { name: 'Return', exact: true }).click();
    await expect(way.getByRole('alert')).toContainText('failed to write the summary');
    await way.getByRole('textbox').fill(`${gate('go')}<<say at last>>`);
    await way.getByRole('button', { name: 'Return', exact: true }).click();
    await expect(way.getByRole('button', { name: 'Waiting for the answer…' })).toBeDisabled();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Returning to general talk…' })).toBeVisible();
    await daemon.touch('go');
    await expect(page.getByRole('heading', { level: 1, name: 'general talk' })).toBeVisible();
    await expect(app.items('message').filter({ hasText: 'at last' })).toBeVisible();
});
