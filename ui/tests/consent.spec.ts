import type { Locator } from '@playwright/test';
import { App, expect, press, test } from './app';
import type { Daemon } from './daemon';

/** What the page saw of clicks on *Allow* and of decisions that went out, by its own monotonic clock. */
interface Seen {
    /** For each click: how long before it the card had come onto the page, or had last been moved. */
    clicks: number[];
    /** The same for each decision, and what it says itself. */
    decisions: { after: number; shown: number; hash: string }[];
}

/** Notes in the page what a person does there. Nothing of the app is asked for it. */
async function witness(app: App): Promise<() => Promise<Seen>> {
    await app.page.evaluate(() => {
        const seen: Seen = { clicks: [], decisions: [] };
        (window as unknown as { seen: Seen }).seen = seen;
        const moments = new Map<string, { place: string; since: number }>();
        const look = () => {
            for (const card of document.querySelectorAll<HTMLElement>('main section.card')) {
                const button = card.querySelector('button.main');
                if (!button) continue;
                const name = card.getAttribute('aria-label') ?? '';
                const { x, y } = button.getBoundingClientRect();
                const place = `${Math.round(x)} ${Math.round(y)}`;
                if (moments.get(name)?.place !== place)
                    moments.set(name, { place, since: performance.now() });
            }
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
        let last = '';
        const of = (target: EventTarget | null) =>
            (target as Element).closest('section.card')?.getAttribute('aria-label') ?? '';
        document.addEventListener(
            'click',
            (event) => {
                if (!(event.target as Element).closest('button.main')) return;
                last = of(event.target);
                const since = moments.get(last)?.since ?? event.timeStamp;
                seen.clicks.push(event.timeStamp - since);
            },
            true,
        );
        const send = window.fetch;
        window.fetch = (input, init) => {
            const [, hash] = /permissions\/([0-9a-f]+)$/.exec(String(input)) ?? [];
            if (hash) {
                const body = JSON.parse(String(init?.body)) as { shown_ms: number };
                const after = performance.now() - (moments.get(last)?.since ?? 0);
                seen.decisions.push({ after, shown: body.shown_ms, hash });
            }
            return send(input, init);
        };
    });
    return () => app.page.evaluate(() => (window as unknown as { seen: Seen }).seen);
}

function card(app: App, name: string): Locator {
    return app.page.getByRole('region', { name: `${name} asks for permission`, exact: true });
}

function allow(app: App, name: string): Locator {
    return card(app, name).getByRole('button', { name: 'Allow' });
}

async function middle(button: Locator): Promise<{ x: number; y: number }> {
    const box = await button.boundingBox();
    if (!box) throw new Error('it is not displayed');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function open(daemon: Daemon): Promise<string[]> {
    const { asks } = JSON.parse(await daemon.paseo('permit', 'ls', '--json')) as { asks: { name: string }[] };
    return asks.map(({ name }) => name);
}

test.beforeEach(({ app }) => app.inbox());

test('requests that arrive do not move the one under the pointer', async ({ app, daemon }) => {
    const seen = await witness(app);
    await daemon.agent('first', '<<ask first?>>');
    const { x, y } = await middle(allow(app, 'first'));
    await app.page.mouse.move(x, y);
    for (const name of ['second', 'third', 'fourth']) {
        await daemon.agent(name, `<<ask ${name}?>>`);
        await expect(card(app, name)).toBeAttached();
        expect(await middle(allow(app, 'first'))).toEqual({ x, y });
    }
    await expect(app.page.getByRole('region', { name: /asks for permission$/ }).locator('pre')).toHaveText([
        'first?',
        'second?',
        'third?',
        'fourth?',
    ]);
    await expect(allow(app, 'first')).toBeEnabled();
    await app.page.mouse.down();
    await app.page.mouse.up();
    await expect(card(app, 'first')).toContainText('Allowed');
    expect(await open(daemon)).toEqual(['second', 'third', 'fourth']);
    const { decisions } = await seen();
    expect(decisions).toHaveLength(1);
    expect(decisions[0]?.shown).toBeGreaterThanOrEqual(500);
});

test('a click on what has just appeared under the pointer decides nothing', async ({ app, daemon }) => {
    const seen = await witness(app);
    await daemon.agent('place', '<<ask here?>>');
    const { x, y } = await middle(allow(app, 'place'));
    const [first] = (await daemon.paseo('permit', 'ls', '-q')).split('\n');
    await daemon.paseo('permit', 'deny', first ?? '');
    await expect(card(app, 'place')).toHaveCount(0);
    await app.page.mouse.move(x, y);
    // Somebody who clicks all the time hits each one in its first half second, unless the machine is very slow.
    let early = 0;
    for (let round = 0; early === 0 && round < 10; round++) {
        const name = `round ${round}`;
        const started = daemon.agent(name, '<<ask here?>>');
        const decided = expect
            .poll(async () => (await seen()).decisions.length, { timeout: 30_000 })
            .toBe(round + 1);
        let over = false;
        void decided.finally(() => (over = true)).catch(() => {});
        while (!over) await app.page.mouse.click(x, y, { delay: 5 });
        await decided;
        await started;
        await expect(card(app, name)).toHaveCount(0);
        early = (await seen()).clicks.filter((after) => after < 500).length;
    }
    expect(early).toBeGreaterThan(0);
    for (const { after, shown } of (await seen()).decisions) {
        expect(after).toBeGreaterThanOrEqual(500);
        expect(shown).toBeGreaterThanOrEqual(500);
    }
});

test('what moves takes no input until it has been still', async ({ app, daemon }) => {
    const seen = await witness(app);
    await daemon.agent('moved', '<<ask now?>>');
    await expect(allow(app, 'moved')).toBeEnabled();
    // Something above it grows and shrinks, as a banner would make it.
    const moves = await app.page.evaluateHandle(() => {
        const header = document.querySelector<HTMLElement>('main > header');
        let at = 0;
        return setInterval(() => {
            if (header) header.style.height = `${80 + (at++ % 2) * 20}px`;
        }, 150);
    });
    await expect(allow(app, 'moved')).toBeDisabled();
    for (let click = 0; click < 30; click++) {
        const { x, y } = await middle(allow(app, 'moved'));
        await app.page.mouse.click(x, y);
    }
    expect((await seen()).clicks.length).toBeGreaterThan(0);
    expect((await seen()).decisions).toEqual([]);
    expect(await open(daemon)).toEqual(['moved']);
    await app.page.evaluate((timer) => clearInterval(timer), moves);
    await expect(allow(app, 'moved')).toBeEnabled();
    const { x, y } = await middle(allow(app, 'moved'));
    await app.page.mouse.click(x, y);
    await expect(card(app, 'moved')).toHaveCount(0);
});

test('what was decided keeps its place until it is cleared', async ({ app, daemon }) => {
    for (const name of ['upper', 'lower']) {
        await daemon.agent(name, `<<ask ${name}?>>`);
        await expect(card(app, name)).toBeVisible();
    }
    const before = await middle(allow(app, 'lower'));
    const [first] = (await daemon.paseo('permit', 'ls', '-q')).split('\n');
    await daemon.paseo('permit', 'deny', first ?? '');
    await expect(card(app, 'upper')).toContainText('Denied');
    expect(await middle(allow(app, 'lower'))).toEqual(before);
    await daemon.agent('third', '<<ask third?>>');
    await expect(card(app, 'third')).toBeAttached();
    expect(await middle(allow(app, 'lower'))).toEqual(before);
    await app.page.getByRole('button', { name: 'Clear 1 decided' }).click();
    await expect(card(app, 'upper')).toHaveCount(0);
    expect((await middle(allow(app, 'lower'))).y).toBeLessThan(before.y);
    await expect(allow(app, 'lower')).toBeEnabled();
});

test('the daemon has the last word', async ({ app, daemon, complaints }) => {
    complaints.allow(/409/);
    for (const name of ['hasty', 'patient']) {
        await daemon.agent(name, '<<ask now?>>');
        await expect(card(app, name)).toBeVisible();
    }
    const below = await middle(allow(app, 'patient'));
    await app.page.route('**/permissions/*', (route) => {
        const body = { ...(route.request().postDataJSON() as object), shown_ms: 115 };
        return route.continue({ postData: JSON.stringify(body) });
    });
    await press(allow(app, 'hasty'));
    await expect(card(app, 'hasty').getByRole('alert')).toContainText('nothing was decided');
    expect(await middle(allow(app, 'patient'))).toEqual(below);
    await card(app, 'hasty').getByRole('button', { name: 'Close' }).click();
    await app.page.unroute('**/permissions/*');
    await press(allow(app, 'hasty'));
    await expect(allow(app, 'hasty')).toHaveCount(0);
});

test('requests of agents that the list does not show are there, and go when they are withdrawn', async ({
    app,
    daemon,
}) => {
    await daemon.write('helper.script', '<<ask child?>>');
    const model = `[[models]]\nmodel_id = '${daemon.work}/helper.script'`;
    await daemon.define('helper', `provider = 'scripted'\nis_subagent = true\n${model}`);
    await daemon.paseo('settings', 'set', 'perm_summon', 'on');
    const summon = JSON.stringify({ agent: 'helper', task: 'look around', background: true });
    const parent = await daemon.paseo('run', '-d', '--title', 'behind', `<<tool summon ${summon}>><<hang>>`);
    const requests = app.page.getByRole('region', { name: /asks for permission$/ });
    await expect(requests.locator('pre')).toHaveText(['child?']);
    await app.agents();
    await expect(app.page.getByText('No agents here yet.')).toBeVisible();
    await expect(app.rows).toHaveCount(0);
    await app.inbox();
    const alone = await daemon.paseo('run', '-d', '--title', 'alone', '<<ask alone?>><<say on>>');
    await expect(requests.locator('pre')).toHaveText(['child?', 'alone?']);
    await expect(app.page).toHaveTitle('(2) Inbox · Paseo');
    await app.page.reload();
    await expect(requests.locator('pre')).toHaveText(['child?', 'alone?']);

    await press(allow(app, 'alone'));
    await expect(card(app, 'alone')).toContainText('Allowed');
    await expect.poll(() => daemon.inspect(alone)).toMatchObject({ status: 'idle' });
    await daemon.paseo('close', parent);
    await expect(requests).toHaveCount(0);
    await expect(app.page).toHaveTitle('Inbox · Paseo');
});

test('a request leads to its agent', async ({ app, daemon }) => {
    await daemon.paseo('run', '-d', '--title', 'quiet', '<<ask now?>><<say on>>');
    await card(app, 'quiet').getByRole('link', { name: 'quiet' }).click();
    await expect(app.page.getByRole('heading', { level: 1, name: 'quiet' })).toBeVisible();
    await press(app.items('ask').getByRole('button', { name: 'Allow' }));
    await expect(app.items('answer')).toHaveText(['on']);
    await expect(app.status()).toContainText('idle');
});
