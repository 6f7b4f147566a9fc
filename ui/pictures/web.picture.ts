import { expect, type Page } from '@playwright/test';
import { App } from '../tests/app';
import { play } from './scene';
import { test, type Stage } from './stage';

test.use({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 2, colorScheme: 'light' });

test('the web app, on a desktop and on a phone', async ({ page, browser, stage }) => {
    await play(stage);
    await shoot(page, stage, 'desktop', 'Fix the failing test');
    const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        deviceScaleFactor: 2,
        colorScheme: 'light',
        hasTouch: true,
        isMobile: true,
    });
    await shoot(await context.newPage(), stage, 'phone');
    await context.close();
});

/** Takes a picture of the inbox, or of an agent beside the list. */
async function shoot(page: Page, stage: Stage, name: string, agent?: string): Promise<void> {
    const app = new App(page);
    await app.login(stage.daemon);
    if (agent !== undefined) {
        await app.open(agent);
        await expect(app.items('answer')).toHaveCount(1);
    } else {
        await app.inbox();
        await expect(page.getByRole('button', { name: 'Allow' })).toBeEnabled();
    }
    await page.screenshot({ path: `../docs/pictures/${name}.png`, animations: 'disabled' });
}
