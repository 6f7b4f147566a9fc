import type { Page } from '@playwright/test';
import { expect, sharing, type App } from './app';
import { Daemon } from './daemon';
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

/** Nothing is hidden or turned around, nothing ran, and nothing sticks out. */
async function expectHarmless(page: Page, where: string): Promise<void> {
    const found = await page.evaluate(() => {
        const hidden =
            /[\u061c\u180e\u202a-\u202e\u2060-\u2064\u2066-\u2069\u200b\u200e\u200f\u00ad\ufeff\u0000\u001b]/;
        const problems: string[] = [];
        if (hidden.test(document.title)) problems.push(`title: ${JSON.stringify(document.title)}`);
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walk.nextNode(); node; node = walk.nextNode())
            if (hidden.test(node.nodeValue ?? ''))
                problems.push(`text: ${node.parentElement?.outerHTML.slice(0, 200)}`);
        for (const element of document.body.querySelectorAll('*')) {
            for (const name of ['title', 'aria-label', 'alt', 'placeholder'])
                if (hidden.test(element.getAttribute(name) ?? ''))
                    problems.push(`${name}: ${element.outerHTML.slice(0, 200)}`);
            const link = element.getAttribute('href');
            if (link !== null && !/^(\/app(?![\w-])|\/api\/|https?:\/\/|mailto:)/.test(link))
                problems.push(`link: ${link}`);
        }
        if (document.querySelector('main img[onerror], main script, main style, main iframe'))
            problems.push('markup became elements');
        if (document.documentElement.scrollWidth > innerWidth)
            problems.push(`the page is ${document.documentElement.scrollWidth} wide`);
        for (const part of document.querySelectorAll('main, dialog[open], nav, .page-body, [role=region]'))
            if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'auto')
                problems.push(
                    `${part.tagName} ${part.className} is ${part.scrollWidth} of ${part.clientWidth}`,
                );
        return problems;
    });
    expect(found, where).toEqual([]);
}

async function goTo(app: App, path: string): Promise<void> {
    await app.page.goto(new URL(path, app.page.url()).href);
    await expect(app.page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(app.page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
}

for (const [what, screen] of [
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ['desktop', { viewport: { width: 1440, height: 900 } }],
] as const)
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
