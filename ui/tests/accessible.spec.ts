import { expect, expectAccessible, sharing } from './app';
import { locate, OPENED } from './opened';
import { HEADINGS, seed, visit } from './pages';
import { seedOpened } from './seeds';

const test = sharing(async (daemon) => {
    await seed(daemon);
    await seedOpened(daemon);
});

for (const form of ['phone', 'desktop'] as const)
    for (const colorScheme of ['light', 'dark'] as const)
        test.describe(`on a ${form}, ${colorScheme}`, () => {
            test.use({
                viewport: form === 'phone' ? { width: 390, height: 844 } : { width: 1280, height: 800 },
                hasTouch: form === 'phone',
                isMobile: form === 'phone',
                colorScheme,
            });

            test('axe finds nothing on any page', async ({ app }) => {
                test.setTimeout(180_000);
                for (const [name, path] of HEADINGS)
                    await test.step(name, async () => {
                        await visit(app.page, path);
                        await expectAccessible(app.page);
                    });
            });

            test('axe finds nothing on what is opened', async ({ app, daemon }) => {
                test.setTimeout(420_000);
                for (const { what, at, only, open } of OPENED)
                    if (only === undefined || only === form)
                        await test.step(what, async () => {
                            await visit(app.page, await locate(at, daemon));
                            await open(app.page);
                            await expectAccessible(app.page);
                            await app.page.evaluate(() => {
                                for (const store of [localStorage, sessionStorage])
                                    store.removeItem('paseo.panels');
                            });
                        });
            });

            test('axe finds nothing on the login page', async ({ stranger, daemon, complaints }) => {
                complaints.allow(/401/);
                const page = await stranger({ colorScheme });
                await page.goto(new URL('/app', await daemon.link()).href);
                await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
                await expectAccessible(page);
            });
        });
