import { count, expect, gate, test, type App } from './app';

/** Returns a step that writes a to-do list: what is to be done, how far it is, and whether it matters more. */
function plan(...entries: [content: string, status: string, priority?: string][]): string {
    const todos = entries.map(([content, status, priority]) => ({ content, status, priority }));
    return `<<tool todo ${JSON.stringify({ todos })}>>`;
}

const bar = (app: App) => app.page.getByRole('region', { name: 'To-do list' });
const line = (app: App) => bar(app).getByRole('button');
const entries = (app: App) => bar(app).getByRole('listitem');

test('a to-do list is shown, changes as the agent goes on, and stays', async ({ app, daemon }) => {
    await daemon.define('planner', "provider = 'scripted'\ntools = ['bash']");
    // From a file, so that the transcript is short and does not scroll.
    await daemon.write(
        'steps',
        '<<say ready>>' +
            gate('first') +
            plan(['look', 'in_progress'], ['fix the failing test', 'pending', 'high'], ['ship', 'pending']) +
            gate('second') +
            plan(
                ['look', 'completed'],
                ['fix the failing test', 'in_progress', 'high'],
                ['ship', 'cancelled'],
            ) +
            gate('third') +
            // More than a page, so that the list is above it.
            count(1, 150, 0),
    );
    const handle = await daemon.agent('careful', 'go', '--agent', 'planner', '--model', 'steps');
    await app.open('careful');
    await expect(app.items('answer')).toHaveText(['ready']);
    await expect(bar(app)).toHaveCount(0);

    // It comes and unfolds without moving what one reads.
    const ready = app.items('answer').first();
    const place = await ready.boundingBox();
    await daemon.touch('first');
    await expect(line(app)).toHaveText('0 of 3 look');
    expect(await ready.boundingBox()).toEqual(place);
    await expect(entries(app)).toHaveCount(0);
    await line(app).click();
    await expect(entries(app)).toHaveText(['look', 'fix the failing test high', 'ship']);
    expect(await ready.boundingBox()).toEqual(place);

    await daemon.touch('second');
    await expect(line(app)).toHaveText('1 of 2 fix the failing test');
    for (const [at, status] of ['completed', 'in progress', 'cancelled'].entries())
        await expect(entries(app).nth(at).getByRole('img', { name: status })).toBeVisible();

    await daemon.touch('third');
    await expect(app.row('careful')).toContainText('idle');
    await app.page.reload();
    await expect(app.items('answer').last()).toHaveText('line 150');
    await expect(app.items('todo')).toHaveCount(0);
    await expect(line(app)).toHaveText('1 of 2 fix the failing test');
    await line(app).click();
    await expect(entries(app)).toHaveText(['look', 'fix the failing test high', 'ship']);

    await daemon.paseo('clear', handle);
    await expect(bar(app)).toHaveCount(0);
    await app.page.reload();
    await expect(app.page.getByRole('heading', { level: 1, name: 'careful' })).toBeVisible();
    await expect(bar(app)).toHaveCount(0);
});

test('the keyboard unfolds a to-do list, and folds it before it leaves the agent', async ({
    app,
    daemon,
}) => {
    await daemon.define('planner', "provider = 'scripted'\ntools = []");
    await daemon.agent(
        'careful',
        `${plan(['a', 'pending'], ['b', 'pending'])}<<say go>>`,
        '--agent',
        'planner',
    );
    await app.open('careful');
    await expect(line(app)).toHaveText('0 of 2 next: a');
    const { keyboard } = app.page;
    await line(app).focus();
    await keyboard.press('Enter');
    await expect(entries(app)).toHaveText(['a', 'b']);
    await keyboard.press('Tab');
    await keyboard.press('Escape');
    await expect(entries(app)).toHaveCount(0);
    await expect(line(app)).toBeFocused();
    await keyboard.press('Escape');
    await expect(app.page).toHaveURL(/\/app\/agents$/);
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a long to-do list scrolls inside, and is in reach of a thumb', async ({ app, daemon }) => {
        await daemon.define('planner', "provider = 'scripted'\ntools = []");
        const long = Array.from({ length: 40 }, (_, at): [string, string] => [
            `step ${at + 1}, which has so many words that they need more than one line`,
            'pending',
        ]);
        await daemon.agent('careful', `${plan(...long)}<<say go>>`, '--agent', 'planner');
        await app.row('careful').tap();
        const box = await line(app).boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(44);
        await line(app).tap();
        await entries(app).last().scrollIntoViewIfNeeded();
        await expect(entries(app).last()).toBeInViewport();
        await expect(app.composer).toBeInViewport();
        const wide = await app.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(wide).toBe(false);
        await line(app).tap();
        await expect(app.items('answer')).toHaveText(['go']);
    });
});

test('the panel of another agent has its list, and keeps up with it', async ({ app, daemon }) => {
    await daemon.define('planner', "provider = 'scripted'\ntools = ['bash']");
    await daemon.write(
        'steps',
        plan(['look', 'in_progress'], ['fix', 'pending']) +
            gate('second') +
            plan(['look', 'completed'], ['fix', 'in_progress']),
    );
    await daemon.agent('careful', 'go', '--agent', 'planner', '--model', 'steps');
    await daemon.agent('other', '<<say hi>>');
    await app.open('careful');
    const { page } = app;
    await page.getByRole('button', { name: 'To-do list', exact: true }).click();
    const panel = page.getByRole('complementary', { name: 'To-do list' });
    await expect(panel.getByRole('listitem')).toHaveText(['look', 'fix']);
    await panel.getByRole('button', { name: 'Arrange To-do list' }).click();
    await page.getByRole('button', { name: 'Keep on this agent' }).click();
    await app.open('other');
    await expect(panel.getByRole('heading', { name: 'To-do list' })).toContainText('careful');
    await expect(panel).toContainText('0 of 2');
    await expect(panel.getByRole('listitem')).toHaveText(['look', 'fix']);
    await daemon.touch('second');
    await expect(panel).toContainText('1 of 2');
    await expect(panel.getByText('look')).toHaveCSS('text-decoration-line', 'line-through');
    // One without a list says so, and only then.
    await panel.getByRole('button', { name: 'Arrange To-do list' }).click();
    await page.getByRole('button', { name: 'Follow the open agent' }).click();
    await expect(panel).toContainText('The agent has written no to-do list.');
});
