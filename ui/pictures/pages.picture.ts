import { expect } from '@playwright/test';
import { App } from '../tests/app';
import { OPENED as OVER } from '../tests/opened';
import { HEADINGS, visit, withKnownProviders } from '../tests/pages';
import { play } from './scene';
import { test } from './stage';

/** Where the pictures are put. They are for looking at, and no part of the repository. */
const FOLDER = '../target/pictures';
const WIDTHS = [390, 768, 1024, 1440] as const;
const OPENED = ['Fix the failing test', 'Release 1.2.0', 'Translate the greeting'];
/** What lies over a page and needs nothing but the page. */
const DIALOGS = /^(palette|keys|more|group|log out a device|choice of .*)$/;
const PANELS = ['todo', 'family', 'files', 'info'];

test('every page, in light and dark, at all widths', async ({ browser, stage }) => {
    test.setTimeout(900_000);
    await play(stage);
    const { daemon } = stage;
    const agents = await daemon.listed();
    const named = (name: string) => `/app/agents/${agents.find((agent) => agent.name === name)?.id}`;
    const pages: (readonly [string, string])[] = [
        ...HEADINGS.map(([name, path]) => [name, path] as const),
        ...OPENED.map((name) => [`agent-${name.toLowerCase().replaceAll(' ', '-')}`, named(name)] as const),
        ...PANELS.map((panel) => [`panel-${panel}`, `${named(OPENED[0]!)}?panel=${panel}`] as const),
        ['thread', `/app/threads/${await daemon.paseo('thread', 'ls', '-q')}`],
        ['search-found', '/app/search?q=greeting'],
        ['not-found', '/app/nothing'],
    ];
    for (const colorScheme of ['light', 'dark'] as const)
        for (const width of WIDTHS) {
            const phone = width < 768;
            const context = await browser.newContext({
                viewport: { width, height: phone ? 844 : 900 },
                colorScheme,
                hasTouch: phone,
                isMobile: phone,
            });
            const page = await context.newPage();
            await new App(page).login(daemon);
            await withKnownProviders(page);
            for (const [name, path] of pages) {
                await visit(page, path);
                if (name.startsWith('agent-'))
                    await expect(page.locator('li[data-kind]').last()).toBeVisible();
                await page.screenshot({
                    path: `${FOLDER}/${name}-${width}-${colorScheme}.png`,
                    animations: 'disabled',
                });
                // A panel that was opened stays: the next picture begins without it.
                if (name.startsWith('panel-'))
                    await page.evaluate(() => {
                        for (const store of [localStorage, sessionStorage]) store.removeItem('paseo.panels');
                    });
            }
            for (const { what, at, only, open } of OVER) {
                if (!DIALOGS.test(what) || (only !== undefined && (only === 'phone') !== phone)) continue;
                await visit(page, at);
                await open(page);
                await page.screenshot({
                    path: `${FOLDER}/over-${what.toLowerCase().replaceAll(' ', '-')}-${width}-${colorScheme}.png`,
                    animations: 'disabled',
                });
            }
            await context.clearCookies();
            await page.goto(`${daemon.url}/app`);
            await expect(page).toHaveURL(/\/login$/);
            await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
            await page.screenshot({
                path: `${FOLDER}/login-${width}-${colorScheme}.png`,
                animations: 'disabled',
            });
            await context.close();
        }
});
