import { expect, type Page } from '@playwright/test';
import { reloaded, timed, watchLoads } from './stopwatch';
import { report, scene, told } from './world';

const TIMES = 11;
/** The middle of the transcript, and other places far from each other. None is the beginning of another. */
const PLACES = [50_000, 20_000, 80_000, 15_000, 60_000, 30_000, 90_000, 40_000, 70_000, 50_000];

scene('an agent with a long transcript is opened, and a place in its middle shown', async ({ browse }) => {
    const { long, items } = told();
    const page = await browse();
    const end = { selector: 'li[data-kind="answer"]', text: `Part ${items}` };
    await toList(page);
    const row = page.locator(`[data-agent="${long[0]}"]`);
    const opened: number[] = [];
    for (let time = 0; time <= TIMES; time++) {
        opened.push(await timed(page, 'click', [end], () => row.click()));
        await toList(page);
    }
    await row.click();
    const jumped: number[] = [];
    await page.getByRole('button', { name: 'Find in this conversation' }).click();
    const find = page.getByRole('textbox', { name: 'Find in this conversation' });
    const found = page.locator('#panel-main').getByRole('search').getByRole('status');
    for (const place of PLACES) {
        await find.fill(`part ${place}`);
        await expect(found).toHaveText('1');
        const sight = { selector: 'li.found[data-kind="answer"]', text: `Part ${place}` };
        jumped.push(await timed(page, 'keydown', [sight], () => find.press('Enter')));
    }
    await watchLoads(page, [end]);
    await page.goto(`/app/agents/${long[0]}`.replace(/^/, new URL(page.url()).origin));
    const loaded: number[] = [];
    for (let time = 0; time < TIMES; time++) loaded.push(await reloaded(page));
    // The first time, the code of the page is loaded.
    report({ opened: opened.slice(1), jumped, loaded });
});

async function toList(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await expect(page).toHaveURL(/\/app\/agents$/);
    await expect(page.locator('li[data-kind]')).toHaveCount(0);
}
