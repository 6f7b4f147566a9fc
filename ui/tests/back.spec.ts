import type { Page } from '@playwright/test';
import { expect, test, type App } from './app';
import { PHONE } from './journey';

/** What can be opened over the list of agents, and what it is called. */
const OVER: readonly (readonly [what: string, open: (app: App) => Promise<unknown>, name: RegExp])[] = [
    ['the menu of a row', (app) => app.menu('worker'), /^worker$/],
    ['labels', (app) => app.choose('worker', 'Labels…'), /^Labels of worker/],
    [
        'model and permissions',
        (app) => app.choose('worker', 'Model and permissions…'),
        /^Model and permissions/,
    ],
    ['the second step of a deletion', (app) => app.choose('worker', 'Delete…'), /^Delete “worker”/],
];

/** Waits until the history has so many entries for what is open. */
async function steps(page: Page, count: number): Promise<void> {
    const over = () => page.evaluate(() => (history.state as { over?: number } | null)?.over ?? 0);
    await expect.poll(over).toBe(count);
}

const dialogs = (page: Page) => page.locator('dialog[open], [popover]:popover-open');

for (const [form, options] of [
    ['desktop', { viewport: { width: 1280, height: 800 } }],
    ['phone', PHONE],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(options);

        test.beforeEach(async ({ app, daemon }) => {
            await daemon.agent('worker', '<<say hi>>');
            await expect(app.row('worker')).toContainText('hi');
            // The page below is the inbox.
            await app.inbox();
            await app.agents();
        });

        for (const [what, open, name] of OVER)
            test(`going back closes ${what}, and then leaves the page`, async ({ app }) => {
                const { page } = app;
                await open(app);
                const dialog = page.getByRole('dialog', { name });
                await expect(dialog).toBeVisible();
                await steps(page, 1);
                await page.goBack();
                await expect(dialogs(page)).toHaveCount(0);
                await expect(page).toHaveURL(/\/app\/agents$/);

                // However it was closed, one step back leaves the page.
                await open(app);
                await expect(dialog).toBeVisible();
                await page.keyboard.press('Escape');
                await expect(dialogs(page)).toHaveCount(0);
                await steps(page, 0);
                await page.goBack();
                await expect(page).toHaveURL(/\/app$/);
                await page.goForward();
                await expect(page).toHaveURL(/\/app\/agents$/);
                await expect(dialogs(page)).toHaveCount(0);
            });

        test('a dialog that was open before a reload is no step of the history', async ({ app }) => {
            const { page } = app;
            await app.choose('worker', 'Labels…');
            await expect(page.getByRole('dialog', { name: /^Labels/ })).toBeVisible();
            await steps(page, 1);
            await page.reload();
            await expect(app.row('worker')).toBeVisible();
            await expect(dialogs(page)).toHaveCount(0);
            await steps(page, 0);
            await page.goBack();
            await expect(page).toHaveURL(/\/app$/);
        });

        test('what a dialog leads to is one step from the page below', async ({
            app,
            daemon,
            complaints,
        }) => {
            // The page of the agent asks for it once more while it is deleted.
            complaints.allow(/404/);
            const { page } = app;
            await app.open('worker');
            const address = page.url();
            await app.inHeader('Turns');
            await expect(page.getByRole('dialog', { name: 'Turns' })).toBeVisible();
            await steps(page, 1);
            await page.goBack();
            await expect(dialogs(page)).toHaveCount(0);
            expect(page.url()).toBe(address);

            // Whoever deletes the agent that is open does not come back to its page.
            await page.getByRole('button', { name: 'Actions for this agent' }).click();
            await page.getByRole('menuitem', { name: 'Delete…' }).click();
            const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
            await expect(confirm).toBeEnabled();
            await confirm.click();
            await expect(page).toHaveURL(/\/app\/agents$/);
            await expect.poll(async () => (await daemon.listed()).length).toBe(0);
            await expect(dialogs(page)).toHaveCount(0);
            await steps(page, 0);
            await page.goBack();
            await expect(page).not.toHaveURL(address);
        });
    });

test.describe('on a phone', () => {
    test.use(PHONE);

    test('a dialog that takes the place of a sheet stays, and going back closes it', async ({ app }) => {
        const { page } = app;
        await page.getByRole('button', { name: 'More' }).click();
        await page
            .getByRole('dialog', { name: 'More' })
            .getByRole('button', { name: 'Go anywhere, do anything' })
            .click();
        await expect(page.getByRole('combobox')).toBeFocused();
        await steps(page, 1);
        await page.goBack();
        await expect(dialogs(page)).toHaveCount(0);
        await expect(page).toHaveURL(/\/app\/agents$/);
    });
});
