import { expect } from '@playwright/test';
import { Chatter } from './chatter';
import { Meter, pass } from './stopwatch';
import { report, scene, told } from './world';

/** By then the page has as much as it keeps, and runs code that the browser has optimised. */
const WARM_MS = 30_000;

scene('a page follows a busy agent for minutes', async ({ browse, daemon }) => {
    const { seconds, rate } = told<{ seconds: number; rate: number }>().about;
    scene.setTimeout((seconds + 300) * 1000);
    const page = await browse();
    const agent = await daemon.create({ name: 'busy', labels: { ui: 'true' } });
    await page.goto(`${daemon.url}/app/agents/${agent}`);
    const chatter = new Chatter(daemon, agent, rate);
    const talking = chatter.talk();
    await pass(WARM_MS);
    const meter = await Meter.of(page);
    const before = await meter.heap();
    const [from, worked, started] = [await chatter.newest(), await meter.worked(), Date.now()];
    // Ends with its error when the agent cannot go on.
    await Promise.race([pass(seconds * 1000), talking]);
    const took = (Date.now() - started) / 1000;
    const busy = ((await meter.worked()) - worked) / took;
    const said = ((await chatter.newest()) - from) / took;
    chatter.stop();
    // The page is where the agent is.
    await talking;
    await expect(page.locator('li[data-kind="answer"]').last()).toContainText(chatter.last);
    report({ before, after: await meter.heap(), busy, rate: said });
});
