import { expect, gate, test, type App } from './app';
import type { Daemon } from './daemon';

const needs = (app: App) => app.page.getByRole('region', { name: 'Needs you' });
const finished = (app: App) => app.page.getByRole('region', { name: 'Finished since you looked' });

async function askers(daemon: Daemon, from: number, to: number): Promise<void> {
    for (let at = from; at <= to; at++) await daemon.agent(`asker ${at}`, `<<ask question ${at}?>>`);
}

test('the badge counts all that needs you, on every page', async ({ app, daemon }) => {
    await daemon.agent('failed', '<<fail out of order>>');
    await daemon.agent('asker', '<<ask now?>>');
    const badge = app.page
        .getByRole('navigation', { name: 'Sections' })
        .getByRole('link', { name: /^Inbox/ });
    await expect(badge).toContainText('2 waiting for you');
    await expect(app.page).toHaveTitle('(2) Agents · Paseo');
    await app.inbox();
    await expect(needs(app).getByRole('status').first()).toHaveText('2');
    await app.page.getByRole('button', { name: 'Archive failed' }).click();
    await expect(badge).toContainText('1 waiting for you');
});

test('cards that come below the fold are counted, and a button leads to them', async ({ app, daemon }) => {
    test.slow();
    await app.inbox();
    await askers(daemon, 1, 6);
    await expect(needs(app).getByRole('listitem')).toHaveCount(6);
    await app.page.reload();
    await expect(needs(app).getByRole('listitem')).toHaveCount(6);
    const more = needs(app).getByRole('button', { name: /new/ });
    await expect(more).toHaveCount(0);
    await askers(daemon, 7, 8);
    await expect(more).toHaveText('2 new');
    await more.click();
    await expect(needs(app).getByRole('listitem').filter({ hasText: 'asker 8' })).toBeInViewport();
    await expect(more).toHaveCount(0);
});

for (const [device, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test(`what is on the screen does not jump when a request comes, on a ${device}`, async ({
        app,
        daemon,
    }) => {
        await app.page.setViewportSize(viewport);
        await daemon.agent('done', '<<say all tests pass>>');
        await app.inbox();
        await expect(finished(app)).toContainText('all tests pass');
        const shift = await app.page.evaluateHandle(() => {
            const sum = { value: 0 };
            new PerformanceObserver((list) => {
                for (const entry of list.getEntries())
                    sum.value += (entry as unknown as { value: number }).value;
            }).observe({ type: 'layout-shift' });
            return sum;
        });
        const place = () => finished(app).evaluate((section) => section.getBoundingClientRect().top);
        const before = await place();
        await askers(daemon, 1, 1);
        // It has made room for the card, and counts as still.
        await expect(needs(app).getByRole('button', { name: 'Allow' })).toBeEnabled();
        expect(await place()).toBeGreaterThan(before + 50);
        expect(await shift.evaluate(({ value }) => value)).toBeLessThan(0.02);
    });

test('j and k move in the inbox, and e archives', async ({ app, daemon }) => {
    await askers(daemon, 1, 1);
    await daemon.agent('done', '<<say all tests pass>>');
    await app.inbox();
    await expect(finished(app)).toContainText('all tests pass');
    const { keyboard } = app.page;
    await keyboard.press('j');
    await expect(needs(app).getByRole('link', { name: 'asker 1' })).toBeFocused();
    await keyboard.press('j');
    await expect(finished(app).getByRole('link', { name: 'done', exact: true })).toBeFocused();
    await keyboard.press('k');
    await expect(needs(app).getByRole('link', { name: 'asker 1' })).toBeFocused();
    await keyboard.press('j');
    await keyboard.press('e');
    await expect(finished(app).getByText('all tests pass')).toHaveCount(0);
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a swipe archives what finished, and decides no request', async ({ app, daemon }) => {
        await daemon.agent('done', '<<say all tests pass>>');
        await daemon.agent('worker', gate('never'));
        await askers(daemon, 1, 1);
        await app.inbox();
        const entry = finished(app).getByRole('listitem');
        const card = needs(app).getByRole('listitem');
        const working = app.page.getByRole('region', { name: 'Working' }).getByRole('listitem');
        for (const one of [entry, card, working]) await expect(one).toHaveCount(1);
        const touch = await app.page.context().newCDPSession(app.page);
        /** Returns how far the entry followed the finger. */
        const swipe = async (of: typeof entry) => {
            const y = (await of.boundingBox())!.y + 12;
            const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x?: number) =>
                touch.send('Input.dispatchTouchEvent', {
                    type,
                    touchPoints: x === undefined ? [] : [{ x, y }],
                });
            await send('touchStart', 300);
            for (const x of [270, 220, 170, 120]) await send('touchMove', x);
            const followed = await of.evaluate((element) => element.style.translate);
            await send('touchEnd');
            return parseFloat(followed || '0');
        };
        // Where nothing would come of it, nothing moves.
        expect(await swipe(working)).toBe(0);
        const allow = card.getByRole('button', { name: 'Allow' });
        await expect(allow).toBeInViewport({ ratio: 1 });
        expect(await swipe(card)).toBe(0);
        // Below the fold, a swipe brings the answers into view.
        const top = Math.round((await card.boundingBox())!.y);
        await app.page.setViewportSize({ width: 390, height: top + 130 });
        await expect(allow).not.toBeInViewport({ ratio: 0.9 });
        expect(await swipe(card)).toBeLessThan(0);
        await expect(allow).toBeInViewport({ ratio: 0.9 });
        expect(await swipe(card)).toBe(0);
        await app.page.setViewportSize({ width: 390, height: 844 });
        expect(await swipe(entry)).toBeLessThan(0);
        await expect(finished(app).getByText('all tests pass')).toHaveCount(0);
        const waiting = JSON.parse(await daemon.paseo('permit', 'ls', '--json')) as { asks: unknown[] };
        expect(waiting.asks).toHaveLength(1);
    });
});
