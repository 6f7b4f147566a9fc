import { count, expect, gate, lines, test } from './app';

/** Returns an answer of the stream that brings one frame. */
function stream(event: string, data: object) {
    const body = `id: 1\nevent: ${event}\ndata: ${JSON.stringify({ seq: 1, ...data })}\n\n`;
    return { contentType: 'text/event-stream', body };
}

const DREAMT = { change: { type: 'dreamt' } };

test('a cut in the middle leaves neither gap nor duplicate', async ({ app, daemon, complaints, context }) => {
    complaints.allow(/ERR_INTERNET_DISCONNECTED/);
    const script = count(1, 60, 10) + gate('cut') + count(61, 120, 0) + gate('back') + count(121, 150, 10);
    const handle = await daemon.agent('counting', script);
    await app.open('counting');
    await expect(app.page.getByText('line 30', { exact: true })).toBeVisible();

    await context.setOffline(true);
    await expect(app.page.getByText('No connection to the daemon')).toBeVisible();
    const seen = (await app.answers()).length;
    expect(seen).toBeLessThanOrEqual(60);
    await daemon.touch('cut');
    // Written while nothing gets through: it goes out once, later.
    await app.send('<<say after the cut>>');
    await expect(app.items('pending')).toContainText('sending');
    await expect.poll(async () => (await daemon.paseo('logs', handle)).includes('line 120')).toBe(true);
    expect((await app.answers()).length).toBe(seen);

    await context.setOffline(false);
    await daemon.touch('back');
    await expect(app.page.getByText('No connection to the daemon')).toHaveCount(0);
    await expect(app.items('answer').last()).toHaveText('after the cut', { timeout: 20_000 });
    expect(await app.answers()).toEqual([...lines(1, 150), 'after the cut']);
    await expect(app.items('message')).toHaveCount(2);
    await expect(app.items('pending')).toHaveCount(0);
});

test('a restart of the daemon is a pause', async ({ app, daemon, complaints }) => {
    complaints.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|503/);
    await daemon.agent('steady', count(1, 5, 0));
    await app.open('steady');
    await expect(app.items('answer')).toHaveText(lines(1, 5));
    await daemon.paseo('down');
    await expect(app.page.getByText('No connection to the daemon')).toBeVisible();
    await daemon.paseo('up');
    await expect(app.page.getByText('No connection to the daemon')).toHaveCount(0);
    await app.send(count(6, 10, 0));
    await expect(app.items('answer')).toHaveText(lines(1, 10));
});

for (const [what, first] of [
    [
        'a position that the daemon does not have',
        { status: 400, json: { code: 'invalid_request', message: '' } },
    ],
    ['an unknown change of an agent', stream('event', { session: 'none', view: null, ...DREAMT })],
    ['an unknown change of a team', stream('team', { team: 'none', ...DREAMT })],
    ['an unknown change of a request', stream('cause', { cause: 'none', ...DREAMT })],
    ['an unknown kind of frame', stream('dream', {})],
] as const)
    test(`${what} makes the page read everything again`, async ({ app, daemon, complaints }) => {
        complaints.allow(/400/);
        await daemon.agent('before', '<<say hello>>');
        await expect(app.row('before')).toBeVisible();
        await app.page.route('**/api/stream*', (route) => route.fulfill(first), { times: 1 });
        const lists: string[] = [];
        app.page.on('request', (request) => {
            // The list itself, not how many agents it does not have.
            if (request.url().includes('/api/sessions?ui=true&limit=100')) lists.push(request.url());
        });
        await app.page.reload();
        // When the page opens, and again.
        await expect.poll(() => lists.length, { timeout: 30_000 }).toBe(2);
        await daemon.agent('after', '<<say hello>>');
        await expect(app.row('after')).toBeVisible();
        expect(lists.length).toBe(2);
    });

test('changing agents in the middle of a turn loses nothing', async ({ app, daemon }) => {
    const script = count(1, 40, 20) + gate('changed') + count(41, 60, 0);
    await daemon.agent('left', script);
    await daemon.agent('right', script);
    for (let round = 0; round < 6; round++) {
        await app.open('left');
        await app.open('right');
    }
    await daemon.touch('changed');
    await expect(app.items('answer')).toHaveText(lines(1, 60));
    await app.open('left');
    await expect(app.items('answer')).toHaveText(lines(1, 60));
});

test('two browsers show the same', async ({ app, daemon, another }) => {
    await daemon.agent('shared', '<<say hello>>');
    const other = await another();
    await app.open('shared');
    await other.open('shared');
    await app.send(count(1, 20, 10));
    await other.send(count(21, 40, 10));
    for (const each of [app, other]) {
        await expect(each.items('answer')).toHaveText(['hello', ...lines(1, 40)], { timeout: 15_000 });
        await expect(each.items('pending')).toHaveCount(0);
    }
    expect(await other.items().allInnerTexts()).toEqual(await app.items().allInnerTexts());
});

test('a long transcript is read in pages and stays small', async ({ app, daemon }) => {
    const handle = await daemon.agent('long', count(1, 800, 0));
    await daemon.paseo('wait', handle);
    await app.open('long');
    await expect(app.items('answer').last()).toHaveText('line 800');
    expect(await app.items().count()).toBeLessThanOrEqual(100);

    const transcript = app.page.getByRole('region', { name: 'Transcript' });
    const top = () => transcript.evaluate((node) => (node.scrollTop = 0));
    await expect
        .poll(
            async () => {
                await top();
                return app.items('message').count();
            },
            { intervals: [50] },
        )
        .toBe(1);
    expect(await app.items().count()).toBeLessThanOrEqual(600);
    expect((await app.answers()).slice(0, 500)).toEqual(lines(1, 500));

    // What comes while one reads far above does not move anything, and is there in the end.
    await daemon.paseo('send', handle, '<<say the end>>');
    await app.page.getByRole('button', { name: 'Latest' }).click();
    await expect(app.items('answer').last()).toHaveText('the end');
    await expect(app.items('answer').last()).toBeInViewport();
});
