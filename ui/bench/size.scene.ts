import { expect } from '@playwright/test';
import { built, scriptsOf, served } from '../tests/served';
import { report, scene } from './world';

scene('the first page and the whole app are small as they are served', async ({ browse, daemon }) => {
    const page = await browse();
    const scripts = await scriptsOf(page, async () => {
        await expect(page.getByRole('region', { name: 'Needs you' })).toBeVisible();
        await expect(page.getByRole('region', { name: 'Finished since you looked' })).toBeVisible();
    });
    const [first, whole] = [await served(daemon.url, scripts), await served(daemon.url, built())];
    report({ first, whole, scripts: scripts.length });
});
