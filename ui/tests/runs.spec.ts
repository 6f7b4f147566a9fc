import { count, expect, expectAccessible, gate, test, type App } from './app';

const kinds = (app: App) =>
    app.items().evaluateAll((rows) => rows.map((row) => row.getAttribute('data-kind')));

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('calls that went well are one line, and failures are open', async ({ app, daemon }) => {
            const steps =
                '<<sh echo one>><<sh echo two>><<think hm>><<tool set_title {"title":"busy"}>>' +
                '<<sh echo broken; exit 3>><<sh echo three>>';
            await daemon.agent('busy', `<<say start>>${steps}<<say end>>`);
            await app.open('busy');
            await expect(app.items('answer')).toHaveText(['start', 'end']);
            expect(await kinds(app)).toEqual(['message', 'answer', 'run', 'tool', 'tool', 'answer']);
            const run = app.items('run').getByRole('button').first();
            await expect(run).toContainText('Ran 2 commands, called set_title');
            await expect(run.getByRole('img', { name: 'all went well' })).toBeVisible();
            await expect(app.items('tool').first()).toContainText('exit 3');
            await expect(app.items('tool').first().locator('pre')).toHaveText('broken');
            await expectAccessible(app.page);

            await run.click();
            await expect(run).toHaveAttribute('aria-expanded', 'true');
            const inside = app.items('run').locator('li');
            await expect(inside).toHaveCount(4);
            await expect(inside.nth(1)).toContainText('Run echo two');
            await inside.nth(1).getByRole('button').click();
            await expect(inside.nth(1).locator('pre')).toHaveText('two');
            await expect(inside).toHaveCount(4);
            await expectAccessible(app.page);
            await run.click();
            await expect(inside).toHaveCount(0);
            // The whole row is one target, large enough for a thumb.
            expect((await run.boundingBox())!.height).toBeGreaterThanOrEqual(
                where === 'on a phone' ? 44 : 20,
            );
        });
    });

/** Records where a text is on the screen, frame by frame. */
async function watch(app: App, text: string): Promise<() => Promise<number[]>> {
    await app.page.evaluate((text) => {
        const tops: number[] = [];
        (window as unknown as { tops: number[] }).tops = tops;
        const look = () => {
            const row = [...document.querySelectorAll('li[data-kind="answer"]')].find((row) =>
                row.textContent.includes(text),
            );
            if (row) tops.push(Math.round(row.getBoundingClientRect().top));
            requestAnimationFrame(look);
        };
        look();
    }, text);
    return () => app.page.evaluate(() => (window as unknown as { tops: number[] }).tops);
}

test('nothing moves while a run grows at the end', async ({ app, daemon }) => {
    const noisy = '<<sh seq 1 6; until [ -e noisy ]; do sleep 0.02; done>>';
    const script = `${count(1, 30, 0)}<<say marker>><<sh echo a>>${gate('one')}<<think hm>>${gate('two')}${noisy}${gate('three')}`;
    await daemon.agent('busy', `${script}<<say end>>`);
    await app.open('busy');
    await expect(app.items('tool').last()).toContainText('running');
    const tops = await watch(app, 'marker');
    const run = app.items('run');
    await daemon.touch('one');
    await expect(run).toContainText('Ran 2 commands');
    // The thought is a row more for a moment.
    await daemon.touch('two');
    await expect(app.items('tool').last().locator('pre')).toContainText('6');
    const before = (await tops()).length;
    await daemon.touch('noisy');
    await expect(run).toContainText('Ran 4 commands');
    await expect(app.items('tool').last()).toContainText('three');
    const seen = await tops();
    // What comes pushes up what is there; nothing ever comes down again.
    expect(seen).toEqual([...seen].sort((a, b) => b - a));
    expect(new Set(seen.slice(before)).size).toBe(1);
    await daemon.touch('three');
    await expect(app.items('answer').last()).toHaveText('end');
    await expect(app.items('answer').last()).toBeInViewport();
    await expect(run).toContainText('Ran 5 commands');
    const all = await tops();
    expect(all).toEqual([...all].sort((a, b) => b - a));
});

test('details that the reader has opened are not folded away', async ({ app, daemon }) => {
    await daemon.agent(
        'busy',
        `<<say marker>><<sh echo one>><<sh echo two>>${gate('open')}<<sh echo three>>${gate('more')}`,
    );
    await app.open('busy');
    const running = app.items('tool').last();
    await running.getByRole('button').click();
    await daemon.touch('open');
    await expect(app.items('tool').last()).toContainText('more');
    expect(await kinds(app)).toEqual(['message', 'answer', 'run', 'tool', 'tool', 'tool']);
    await expect(app.items('tool').first().getByRole('button')).toHaveAttribute('aria-expanded', 'true');

    // An expanded run takes in what comes.
    await app.items('run').getByRole('button').first().click();
    await daemon.touch('more');
    await expect(app.status()).toContainText('idle');
    await expect(app.items('run').first().locator('li')).toHaveCount(2);
    await expect(app.items('run').last()).toContainText('Ran 2 commands');
});
