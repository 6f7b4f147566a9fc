import { expect } from '@playwright/test';
import { App } from '../tests/app';
import type { Daemon } from '../tests/daemon';
import { OPENED as OVER } from '../tests/opened';
import { seedTogether } from '../tests/openedTogether';
import { HEADINGS, visit, withKnownProviders } from '../tests/pages';
import { play } from './scene';
import { test } from './stage';

/** Where the pictures are put. They are for looking at, and no part of the repository. */
const FOLDER = '../target/pictures';
const WIDTHS = [390, 768, 1024, 1440] as const;
/** The widths to make, when only some were changed: `LOOK=390-dark,1024-light make pictures`. */
const ONLY = process.env['LOOK']?.split(',');
const OPENED = ['Fix the failing test', 'Release 1.2.0', 'Translate the greeting'];
/** What lies over a page and is made by `play` and `seedTogether`; others need what only tests have. */
const DIALOGS =
    /^(palette|keys|more|group|log out a device|choice of .*|.* of a (thread|task|team|worker|participant)|(delete|remove) a (thread|participant|member)|invitation to a thread|task|audit trail)$/;
const PANELS = ['todo', 'family', 'files', 'info'];

/** Returns the page of what the first message to an agent led to. */
async function causeOf(daemon: Daemon, agent: string): Promise<string> {
    type Items = { items: { fields: { delivery?: string } | null }[] };
    const { items } = await daemon.api<Items>(`/sessions/${agent}/items`);
    return `/app/causes/${items.map(({ fields }) => fields?.delivery).find(Boolean)}`;
}

test('every page, in light and dark, at all widths', async ({ browser, stage }) => {
    test.setTimeout(1_800_000);
    await play(stage);
    const { daemon } = stage;
    await stage.next('<<say here>>');
    await seedTogether(daemon);
    const agents = await daemon.listed();
    const named = (name: string) => `/app/agents/${agents.find((agent) => agent.name === name)?.id}`;
    const pages: (readonly [string, string])[] = [
        ...HEADINGS.map(([name, path]) => [name, path] as const),
        ...OPENED.map((name) => [`agent-${name.toLowerCase().replaceAll(' ', '-')}`, named(name)] as const),
        ...PANELS.map((panel) => [`panel-${panel}`, `${named(OPENED[0]!)}?panel=${panel}`] as const),
        ['thread', `/app/threads/${await daemon.paseo('thread', 'ls', '-q')}`],
        ['team', '/app/teams/red'],
        ['cause', await causeOf(daemon, agents.find(({ name }) => name === OPENED[0])!.id)],
        ['search-found', '/app/search?q=greeting'],
        ['not-found', '/app/nothing'],
    ];
    for (const colorScheme of ['light', 'dark'] as const)
        for (const width of WIDTHS) {
            if (ONLY && !ONLY.includes(`${width}-${colorScheme}`)) continue;
            const phone = width < 768;
            const context = await browser.newContext({
                viewport: { width, height: phone ? 844 : 900 },
                colorScheme,
                hasTouch: phone,
                isMobile: phone,
            });
            const page = await context.newPage();
            // What cannot be opened says so at once.
            page.setDefaultTimeout(20_000);
            await new App(page).login(daemon);
            await withKnownProviders(page);
            for (const [name, path] of pages) {
                await visit(page, path);
                const missing = page.getByRole('heading', { level: 1, name: /not found$/ });
                await expect(missing).toHaveCount(name === 'not-found' ? 1 : 0);
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
                // A sheet stays open when the same address is visited again.
                await visit(page, '/app/nothing');
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
