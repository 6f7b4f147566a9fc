import { expect, test } from './app';
import { built, scriptsOf, served } from './served';

const KB = 1024;

test('the first page and the whole app are small as they are served', async ({ app, daemon }) => {
    await daemon.agent('asker', '<<ask sh: make clean>>');
    await daemon.agent('worker', '<<say done>>');
    await app.inbox();
    const scripts = await scriptsOf(app.page, async () => {
        await expect(app.page.getByRole('region', { name: 'Needs you' })).toBeVisible();
        await expect(app.page.getByRole('region', { name: 'Finished since you looked' })).toBeVisible();
    });
    // What is not needed at once belongs to it, too.
    expect(scripts.filter((path) => /Palette/.test(path))).toHaveLength(1);
    expect(await served(daemon.url, scripts)).toBeLessThanOrEqual(120 * KB);
    expect(await served(daemon.url, built())).toBeLessThanOrEqual(400 * KB);
});
