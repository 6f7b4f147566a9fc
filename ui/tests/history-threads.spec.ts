import { expect, expectAccessible, test } from './app';
import type { Daemon } from './daemon';
import { History, HOSTILE, writes } from './history';
import { Bridge, PHONE, ThreadPage } from './threads';

const DESK = { viewport: { width: 1440, height: 900 } };

/** Posts messages of the person, one after the other. */
async function post(daemon: Daemon, thread: string, texts: readonly string[]): Promise<void> {
    const headers = { Authorization: `Bearer ${await daemon.secret()}`, 'Content-Type': 'application/json' };
    for (const text of texts) {
        const init = { method: 'POST', headers, body: JSON.stringify({ text }) };
        const answer = await fetch(`${daemon.url}/api/threads/${thread}/messages`, init);
        if (!answer.ok) throw new Error(await answer.text());
    }
}

for (const [form, screen] of [
    ['phone', PHONE],
    ['desktop', DESK],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(screen);

        test('a thread ends where it ended then, and nothing can be written there', async ({
            app,
            daemon,
        }) => {
            const { page } = app;
            const id = await daemon.paseo('thread', 'new', 'planning', '-q');
            await daemon.paseo(
                'thread',
                'invite',
                'planning',
                'scripted',
                '--id',
                'ada',
                '--nickname',
                'Ada',
            );
            await daemon.paseo('thread', 'post', 'planning', 'one\n2\n3\n4\n5\n6\n7');
            await daemon.paseo('thread', 'mute', 'planning', 'ada');
            await daemon.paseo('thread', 'post', 'planning', HOSTILE);
            const thread = new ThreadPage(page);
            await thread.open(id);
            await expect(thread.messages).toHaveCount(2);
            await thread.composer.fill('a draft');
            const people = await thread.people();
            await expect(people.locator('[data-participant="ada"]')).toContainText('muted');
            await thread.close();
            const written = writes(page);
            const history = new History(page);
            await history.open();

            // 1 created, 2 invited, 3 one, 4 muted, 5 the other.
            await history.goTo(3);
            await expect(history.controls).toContainText('You: one');
            await expect(thread.messages).toHaveText([/one/]);
            await expect(thread.composer).toBeHidden();
            await expect(page.getByRole('button', { name: /^Reply|Actions for|Invite/ })).toHaveCount(0);
            const then = await thread.people();
            await expect(then.locator('[data-participant="ada"]')).not.toContainText(/muted|offline/);
            await expect(then.getByRole('switch', { name: 'Pause' })).toBeDisabled();
            await expect(then.getByRole('button', { name: /Mute|Invite|Create token|Change/ })).toHaveCount(
                0,
            );
            await expectAccessible(page);
            await thread.close();
            for (const key of ['i', '/', 'r']) await page.keyboard.press(key);
            await expect(page.getByRole('dialog')).toHaveCount(0);

            await history.showSince();
            await expect(history.since).toHaveText([/You muted ada/, /img src=x.*\\u\{202e\}gnp\.exe/]);
            await expect(page.locator('main img')).toHaveCount(0);
            await expectAccessible(page);
            // The little that there is stays in view.
            const messages = page.getByRole('region', { name: 'Messages' });
            expect(await messages.evaluate(({ scrollTop }) => scrollTop)).toBe(0);

            const eve = await Bridge.join(daemon, id, 'eve');
            await eve.say('three');
            await expect(history.since).toHaveCount(3);
            await expect(history.since.last()).toContainText('eve: three');
            await expect(thread.messages).toHaveText([/one/]);
            await history.slider.focus();
            await page.keyboard.press('ArrowLeft');
            await history.expectAt(2);
            await expect(thread.messages).toHaveCount(0);
            expect(written).toEqual([]);
            await history.back.click();
            await history.expectNow();
            await expect(thread.messages).toHaveCount(3);
            await expect(thread.composer).toHaveValue('a draft');
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            expect(wide, 'nothing sticks out').toBe(false);
        });
    });

test('a long thread is read where it ended, and dragging asks for what is passed', async ({
    app,
    daemon,
}) => {
    test.slow();
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    const id = await daemon.paseo('thread', 'new', 'long', '-q');
    await post(
        daemon,
        id,
        Array.from({ length: 259 }, (_, at) => `message ${at + 2}.`),
    );
    const thread = new ThreadPage(page);
    await thread.open(id);
    await expect(thread.messages.last()).toContainText('message 260.');
    const history = new History(page);
    await history.open();
    await history.goTo(120);
    // It was not read before: it ends there, and goes on above.
    await expect(thread.messages.last()).toContainText('message 120.');
    await expect(thread.messages.last()).toBeInViewport();
    await expect(page.getByText('Newer messages…')).toHaveCount(0);
    await page.getByRole('region', { name: 'Messages' }).hover();
    await page.mouse.wheel(0, -20_000);
    await expect(thread.messages.filter({ hasText: 'message 30.' })).toHaveCount(1);
    await history.goTo(119);
    await expect(thread.messages.last()).toContainText('message 119.');
    await expect(thread.messages.last()).toBeInViewport();

    const box = (await history.slider.boundingBox())!;
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + (box.width * 118) / 259, y);
    await page.mouse.down();
    for (let at = 100; at >= 50; at -= 5) await page.mouse.move(box.x + (box.width * at) / 259, y);
    await page.mouse.up();
    const version = Number(await history.slider.inputValue());
    expect(version).toBeGreaterThan(40);
    expect(version).toBeLessThan(70);
    await history.expectAt(version);
    await expect(thread.messages.last()).toContainText(`message ${version}.`);
    await history.back.click();
    await expect(thread.messages.last()).toContainText('message 260.');
    await expect(thread.messages.last()).toBeInViewport();
    await post(daemon, id, ['the end']);
    await expect(thread.messages.last()).toContainText('the end');
});
