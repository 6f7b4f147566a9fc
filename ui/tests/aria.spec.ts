import { expect, seeded } from './app';
import { PHONE } from './journey';
import { locate, OPENED } from './opened';
import { HEADINGS, seed, visit, withKnownProviders } from './pages';
import { settled } from './reading';

/**
 * What a screen reader is told about each page: names, roles, order. A change of it shows as a difference in
 * `tests/aria`; write the files again with `npx playwright test tests/aria.spec.ts --update-snapshots`.
 */
const test = seeded(seed);

/** Pages whose content is that of the machine. */
const MACHINE = new Set(['diagnostics']);

/** What is opened over a page, and the page that is none. */
const OVER = ['menu of an agent', 'clear a transcript', 'choice of Permissions', 'unknown address'];

const PANELS = ['todo', 'family', 'files', 'info'];

for (const [form, options] of [
    ['phone', PHONE],
    ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(options);

        test('every page reads the same', async ({ app, daemon }) => {
            test.setTimeout(180_000);
            await withKnownProviders(app.page);
            for (const [name, path] of HEADINGS)
                if (!MACHINE.has(name))
                    await test.step(name, async () => {
                        await visit(app.page, path);
                        expect.soft(await settled(app.page, daemon)).toMatchSnapshot(`${name}-${form}.txt`);
                    });
        });

        test('the login page reads the same', async ({ stranger, daemon, complaints }) => {
            complaints.allow(/401/);
            const page = await stranger(options);
            await page.goto(`${daemon.url}/app`);
            await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
            expect(await settled(page, daemon)).toMatchSnapshot(`login-${form}.txt`);
        });

        test('what lies over a page reads the same', async ({ app, daemon }) => {
            const { page } = app;
            for (const { what, at, open } of OPENED.filter(({ what }) => OVER.includes(what)))
                await test.step(what, async () => {
                    await visit(page, await locate(at, daemon));
                    await open(page);
                    const file = `over-${what.toLowerCase().replaceAll(' ', '-')}-${form}.txt`;
                    expect.soft(await settled(page, daemon)).toMatchSnapshot(file);
                });
        });

        test('an agent and its panels read the same', async ({ app, daemon }) => {
            test.setTimeout(180_000);
            const { page } = app;
            for (const { id, name } of await daemon.listed())
                await test.step(name ?? id, async () => {
                    await visit(page, `/app/agents/${id}`);
                    await expect(app.items().last()).toBeVisible();
                    expect.soft(await settled(page, daemon)).toMatchSnapshot(`agent-${name}-${form}.txt`);
                });
            const talker = (await daemon.listed()).find(({ name }) => name === 'talker')!;
            for (const panel of PANELS)
                await test.step(panel, async () => {
                    await visit(page, `/app/agents/${talker.id}?panel=${panel}`);
                    await expect(app.items().last()).toBeVisible();
                    expect.soft(await settled(page, daemon)).toMatchSnapshot(`panel-${panel}-${form}.txt`);
                    await page.evaluate(() => {
                        for (const store of [localStorage, sessionStorage]) store.removeItem('paseo.panels');
                    });
                });
        });
    });
