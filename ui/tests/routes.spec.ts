import { PAGES } from '../src/shell/routes';
import { expect, test, type App } from './app';
import { HEADINGS } from './pages';

async function go(app: App, path: string): Promise<void> {
    await app.page.goto(new URL(path, app.page.url()).href);
}

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('every address has its page, and an unknown one says so', async ({ app, daemon }) => {
            // It goes to every page there is.
            test.slow();
            await daemon.agent('here', '<<say hi>>');
            for (const [, path, heading] of HEADINGS) {
                await go(app, path);
                await expect(app.page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
                await expect(app.page).toHaveTitle(new RegExp(`^${heading}.* · Paseo$`));
                const wide = await app.page.evaluate(
                    () => document.documentElement.scrollWidth > window.innerWidth,
                );
                expect(wide, path).toBe(false);
            }
            await app.agents();
            await app.open('here');
            await expect(app.page).toHaveTitle('here · Paseo');
            const id = await daemon.paseo('thread', 'new', 'plans', '-q');
            await go(app, `/app/threads/${id}`);
            await expect(app.page.getByRole('heading', { level: 1, name: 'plans' })).toBeVisible();
            await expect(app.page).toHaveTitle('plans · Paseo');
            // Those of an agent, of a request and of a team have tests of their own.
            const tested = [...HEADINGS.map(([name]) => name), 'agent', 'cause', 'team', 'thread'];
            expect(tested.sort()).toEqual(Object.keys(PAGES).sort());

            for (const path of ['/app/nothing', '/app/settings/nothing', '/app/agents/3f2a/files']) {
                await go(app, path);
                await expect(app.page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
                await expect(app.page).toHaveTitle('Page not found · Paseo');
            }
            await app.page.getByRole('button', { name: 'Go to the inbox' }).click();
            await expect(app.page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeFocused();
        });
    });

test('old addresses lead to where the pages are now', async ({ app, daemon }) => {
    const project = `?project=${encodeURIComponent(daemon.work)}`;
    for (const [old, now] of [
        ['/app/', '/app'],
        ['/app/definitions', '/app/settings/definitions'],
        [`/app/definitions/default${project}`, `/app/settings/definitions/default${project}`],
        ['/app/new-definition', '/app/settings/new-definition'],
    ] as const) {
        await go(app, old);
        await expect(app.page).toHaveURL(new URL(now, app.page.url()).href);
    }
});

test('a page that cannot be loaded says what to do', async ({ app, complaints }) => {
    complaints.allow(/Failed to load|ERR_FAILED|dynamically imported/);
    await app.page.route('**/assets/settings*', (route) => route.abort());
    await app.page.getByRole('link', { name: /^Settings/ }).click();
    await expect(app.page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible();
    await app.page.unroute('**/assets/settings*');
    await app.page.getByRole('button', { name: 'Reload' }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test.describe('tabs on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('lead everywhere, and back closes what is open', async ({ app, daemon }) => {
        await daemon.agent('pocket', '<<say hi>>');
        const { page } = app;
        const tabs = page.getByRole('navigation', { name: 'Tabs' });
        for (const tab of await tabs.getByRole('link').or(tabs.getByRole('button')).all())
            expect((await tab.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await app.inbox();
        await app.agents();
        await app.row('pocket').tap();
        await expect(app.composer).toBeVisible();
        // The composer is where the tabs would be.
        await expect(tabs).toHaveCount(0);
        await page.goBack();
        await expect(app.row('pocket')).toBeVisible();
        await page.goBack();
        await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();

        await tabs.getByRole('button', { name: 'More' }).tap();
        const sheet = page.getByRole('dialog', { name: 'More' });
        await expect(sheet).toBeVisible();
        await page.goBack();
        await expect(sheet).toHaveCount(0);
        await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();

        await tabs.getByRole('button', { name: 'More' }).tap();
        await sheet.getByRole('button', { name: 'Close' }).tap();
        await expect(sheet).toHaveCount(0);
        await tabs.getByRole('button', { name: 'More' }).tap();
        await sheet.getByRole('link', { name: 'Settings' }).tap();
        await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
        // The sheet left nothing in the history.
        await page.goBack();
        await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
        await expect(sheet).toHaveCount(0);
    });
});
