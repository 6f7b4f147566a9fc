import { expect, sharing } from './app';
import { Daemon } from './daemon';
import { expectHarmless, goTo, SCREENS } from './harmless';
import { HEADINGS } from './pages';
import { EVIL, NAME, seed, TRICKS } from './tricks';

/** A directory may be called anything but a slash. */
const test = sharing(seed).extend<object, { world: Daemon }>({
    world: [
        async ({}, use) => {
            const daemon = await Daemon.start('od\u202ed <b>');
            await seed(daemon);
            await use(daemon);
            await daemon.stop();
        },
        { scope: 'worker', timeout: 120_000 },
    ],
});
test.describe.configure({ mode: 'default' });

for (const [what, screen] of SCREENS)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('hostile text in every field neither runs nor breaks a page', async ({ app, daemon }) => {
            test.slow();
            const { page } = app;
            await expect(app.rows).toHaveCount(6);
            await expectHarmless(page, 'the list');
            const list = (await daemon.listed()).map(({ id, name }) => [id, name] as const);
            for (const [id, name] of list) {
                await goTo(app, `/app/agents/${id}`);
                await expect(app.items().first()).toBeVisible();
                // The one that did all of it.
                if (name === NAME) await expect(app.items('todo')).toHaveCount(1);
                if (name?.startsWith('chooses'))
                    await expect(app.items('ask').getByRole('button', { name: 'invoice' })).toContainText(
                        'invoice\\u{202e}gnp.exe',
                    );
                if (name?.startsWith('plans'))
                    await expect(app.items('ask').getByRole('document', { name: 'Plan' })).toContainText(
                        TRICKS.markup,
                    );
                // One may cover another: they are pressed where they are.
                await page
                    .getByRole('main')
                    .locator('button[aria-expanded="false"]:not([popovertarget], [aria-haspopup])')
                    .evaluateAll((folds) => folds.forEach((fold) => (fold as HTMLElement).click()));
                await expectHarmless(page, `the agent ${name}`);
                for (const panel of ['todo', 'family', 'files', 'info']) {
                    await goTo(app, `/app/agents/${id}?panel=${panel}`);
                    await expectHarmless(page, `the panel ${panel}`);
                }
            }
            await goTo(app, '/app');
            await expect(
                page.getByRole('region', { name: 'Needs you' }).locator('li[data-stop]'),
            ).toHaveCount(4);
            await expectHarmless(page, 'the inbox');
            await goTo(app, '/app/search?q=invoice');
            await expect(page.locator('article').first()).toBeVisible();
            await expectHarmless(page, 'the search');
            await goTo(app, '/app/threads');
            await expect(page.locator('[data-thread]')).toHaveCount(1);
            await expectHarmless(page, 'the threads');
            await page.locator('[data-thread]').click();
            await expect(page.locator('li[data-kind="message"]')).toHaveCount(3);
            await page.getByRole('textbox', { name: /^Message to/ }).fill(`@Odd ${EVIL}`);
            await expect(page.getByRole('status', { name: 'Will wake' })).toContainText('www');
            await expectHarmless(page, 'a thread');
            await page.getByRole('textbox', { name: /^Message to/ }).fill('');
            await goTo(app, new URL(page.url()).pathname);
            await expect(page.locator('li[data-kind="message"]')).toHaveCount(3);
            await expectHarmless(page, 'a thread by its address');
            await goTo(app, '/app/settings/definitions/odd');
            await expectHarmless(page, 'a definition');
            await goTo(app, '/app/settings/definitions');
            await expectHarmless(page, 'the definitions');
            const project = `project=${encodeURIComponent(daemon.work)}`;
            await goTo(app, `/app/settings/definitions?${project}`);
            await expect(page.getByRole('region', { name: /^You have not trusted/ })).toBeVisible();
            await expect(page.locator('main pre').first()).toBeVisible();
            await expectHarmless(page, 'the definitions of a project');
            await goTo(app, `/app/settings/definitions/helper?${project}`);
            await expect(page.getByText('This file belongs to the project')).toBeVisible();
            await expectHarmless(page, 'a definition of a project');
            for (const [name, path] of HEADINGS) {
                await goTo(app, path);
                await expectHarmless(page, `the page ${name}`);
            }
            await goTo(app, '/app/map?all=1');
            await expect(page.getByRole('main').getByRole('link').first()).toBeVisible();
            await expectHarmless(page, 'the map');
            await goTo(app, '/app/teams');
            await expect(page.getByRole('list', { name: 'Teams' })).toBeVisible();
            await expectHarmless(page, 'the teams');
            await goTo(app, '/app/teams/odd');
            await expect(page.locator('[data-task]').first()).toBeAttached();
            await expectHarmless(page, 'a team');
            await goTo(app, '/app/teams/odd?task=task-0001');
            await expect(page.getByRole('dialog')).toBeVisible();
            await expectHarmless(page, 'a task');
        });

        test('hostile text is shown in what lies over a page', async ({ app }) => {
            const { page } = app;
            await page.getByRole('button', { name: /^Group by/ }).click();
            const byKey = page.getByRole('menuitemradio', { name: 'Label k\\u{202e}y' });
            await expect(byKey).toBeVisible();
            await expectHarmless(page, 'the menu of groups');
            await byKey.click();
            await expectHarmless(page, 'the list by a label');
            await page.getByRole('button', { name: /^Group by/ }).click();
            await page.getByRole('menuitemradio', { name: 'Project' }).click();
            await app.rows.last().focus();
            await page.keyboard.press('m');
            await expect(page.getByRole('menu')).toBeVisible();
            await expectHarmless(page, 'the menu of a row');
            await page.getByRole('menuitem', { name: 'Labels' }).click();
            await expectHarmless(page, 'the labels');
            await page.keyboard.press('Escape');
            await page.keyboard.press('ControlOrMeta+k');
            await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeVisible();
            await page.keyboard.type('invoice');
            await expectHarmless(page, 'the palette');
            await page.keyboard.press('Escape');
            await page.keyboard.press('s');
            await expect(
                page.getByRole('dialog', { name: 'Switch agent' }).getByRole('listitem').first(),
            ).toBeVisible();
            await expectHarmless(page, 'the selector');
        });
    });
