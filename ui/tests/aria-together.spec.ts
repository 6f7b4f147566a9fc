import { expect, seeded } from './app';
import { PHONE } from './journey';
import { locate } from './opened';
import { seedTogether, TOGETHER } from './openedTogether';
import { seed, visit, withKnownProviders } from './pages';
import { settled } from './reading';

/** What a screen reader is told about forms, sheets and questions of threads, teams and requests; see `aria.spec.ts`. */
const test = seeded(async (daemon) => {
    await seed(daemon);
    await seedTogether(daemon);
});

for (const [form, options] of [
    ['phone', PHONE],
    ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(options);

        test('what belongs to threads, teams and requests reads the same', async ({ app, daemon }) => {
            test.setTimeout(180_000);
            const { page } = app;
            page.setDefaultTimeout(20_000);
            await withKnownProviders(page);
            // How long an agent has been at work is told in ever more words.
            for (const { what, at, open } of TOGETHER.filter(({ what }) => what !== 'stop of a request'))
                await test.step(what, async () => {
                    await visit(page, await locate(at, daemon));
                    await open(page);
                    const file = `over-${what.toLowerCase().replaceAll(' ', '-')}-${form}.txt`;
                    expect.soft(await settled(page, daemon)).toMatchSnapshot(file);
                });
        });
    });
