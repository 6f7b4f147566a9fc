import type { Locator } from '@playwright/test';
import { App, expect, expectAccessible, gate, test } from './app';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const SHOWN = '<img src=x onerror=alert(1)>"\'\\u{202e}';
const EVIL = '<img src=x onerror=alert(1)>"\'‮';

function button(app: App, name: string): Locator {
    return app.page.getByRole('button', { name, exact: true });
}

for (const [kind, screen] of [
    ['a phone', PHONE],
    ['a desktop', DESKTOP],
] as const) {
    test.describe(`on ${kind}`, () => {
        test.use(screen);

        test('what waits is read, edited, moved and canceled, and two browsers agree', async ({
            app,
            daemon,
            another,
        }) => {
            test.slow();
            const handle = await daemon.agent('busy', `<<say on it>>${gate('go')}`);
            await app.open('busy');
            const other = await another(screen);
            await other.open('busy');

            await daemon.paseo('send', handle, '<<say one>>');
            await daemon.paseo('send', handle, EVIL);
            await daemon.paseo('send', handle, '<<say three>>');
            for (const each of [app, other])
                await expect(each.queued).toContainText(['<<say one>>', SHOWN, '<<say three>>']);
            await expect(app.queued.first()).toContainText('You');
            await expect(app.queued.first()).toContainText('accepted');
            await expectAccessible(app.page);

            await button(app, 'Move up “<<say three>>”').click();
            for (const each of [app, other])
                await expect(each.queued).toContainText(['<<say one>>', '<<say three>>', SHOWN]);
            await expect(button(app, 'Move up “<<say three>>”')).toBeFocused();
            await app.page.keyboard.press('Alt+ArrowUp');
            for (const each of [app, other])
                await expect(each.queued).toContainText(['<<say three>>', '<<say one>>', SHOWN]);
            await expect(button(app, 'Move up “<<say three>>”')).toHaveAttribute('aria-disabled', 'true');

            await button(other, 'Edit “<<say one>>”').click();
            const field = other.page.getByRole('textbox', { name: 'Text of the message' });
            await expect(field).toBeFocused();
            await expect(field).toHaveValue('<<say one>>');
            await expectAccessible(other.page);
            await field.fill('<<say first>>');
            await button(other, 'Save').click();
            for (const each of [app, other])
                await expect(each.queued).toContainText(['<<say three>>', '<<say first>>', SHOWN]);

            await button(app, `Cancel “${SHOWN}”`).click();
            for (const each of [app, other]) await expect(each.queued).toHaveCount(2);

            await daemon.touch('go');
            for (const each of [app, other]) {
                await expect(each.queued).toHaveCount(0);
                await expect(each.items('answer')).toHaveText(['on it', 'three', 'first']);
                await expect(each.items('pending')).toHaveCount(0);
            }
        });

        test('a stopped agent resumes with what it holds', async ({ app, daemon }) => {
            test.slow();
            const handle = await daemon.agent('held', '<<say on it>><<hang>>');
            await app.open('held');
            await app.send('<<say one>><<hang>>', 'Control+Enter');
            await expect(app.items('answer')).toHaveText(['on it', 'one']);
            await daemon.paseo('send', handle, '<<say two>><<hang>>');
            await daemon.paseo('send', handle, '<<say three>>');
            await daemon.paseo('stop', handle);
            await expect(app.queued).toContainText(['held', 'held']);
            await expectAccessible(app.page);

            await button(app, 'Resume with “<<say three>>”').click();
            await expect(app.items('answer')).toHaveText(['on it', 'one', 'three']);
            // Nothing else goes on, and what is held can go on although the agent is not held.
            await expect(app.queued).toContainText(['<<say two>>']);
            await button(app, 'Resume with “<<say two>><<hang>>”').click();
            await expect(app.items('answer')).toHaveText(['on it', 'one', 'three', 'two']);
            await expect(app.queued).toHaveCount(0);

            await daemon.paseo('send', handle, '<<say four>>');
            await daemon.paseo('stop', handle);
            await button(app, 'Resume').click();
            await expect(app.items('answer')).toHaveText(['on it', 'one', 'three', 'two', 'four']);
            await expect(app.queued).toHaveCount(0);
            await expect(button(app, 'Resume')).toHaveCount(0);
        });
    });
}

test("another agent's message is canceled only after a question", async ({ app, daemon }) => {
    test.slow();
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const handle = await daemon.agent('busy', `<<say on it>>${gate('go')}`);
    const words = JSON.stringify({ tab_id: handle, message: EVIL }).replaceAll('>', '\\>');
    const sender = await daemon.agent('sender', `<<tool send_to_tab ${words}>><<say sent>>`);
    await app.open('busy');
    await expect(app.queued).toContainText([SHOWN]);
    await expect(app.queued).toContainText(sender);
    const cancel = button(app, `Cancel “${SHOWN}”`);
    const dialog = app.page.getByRole('dialog', { name: 'Cancel this message?' });

    // It stays while the question is open, and after the answer no.
    await cancel.click();
    await expect(dialog).toContainText(SHOWN);
    await expect(dialog).toContainText('You did not write this message.');
    await dialog.getByRole('button', { name: 'Keep it' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(app.queued).toHaveCount(1);

    await cancel.click();
    const confirm = dialog.getByRole('button', { name: 'Cancel message' });
    await expect(confirm).toBeEnabled();
    await confirm.click();
    await expect(dialog).toHaveCount(0);
    await expect(app.queued).toHaveCount(0);
    await daemon.touch('go');
    await expect(app.status()).toContainText('idle');
    await expect(app.items('message')).toHaveCount(1);
    // Its sender did not ask for the outcome, and reads of it with the next message.
    await daemon.paseo('send', sender, '<<say next>>');
    await expect.poll(() => daemon.paseo('logs', sender)).toMatch(/cancel/i);
});

test('a long message is shown whole on demand, and edited whole', async ({ app, daemon }) => {
    test.slow();
    const handle = await daemon.agent('busy', `<<say on it>>${gate('go')}`);
    const long = `${'word '.repeat(400)}the end`;
    await daemon.paseo('send', handle, long);
    await app.open('busy');
    await expect(app.queued).toHaveCount(1);
    await expect(app.queued).not.toContainText('the end');
    await button(app, 'Show all 2 KB').click();
    await expect(app.queued).toContainText('the end');
    await app.queued.getByRole('button', { name: /^Edit/ }).click();
    await expect(app.page.getByRole('textbox', { name: 'Text of the message' })).toHaveValue(long);
    await app.page.keyboard.press('Escape');
    await expect(app.queued).toContainText('the end');
    await expect(app.queued.getByRole('button', { name: /^Edit/ })).toBeFocused();
});

test('a message that is handed over meanwhile says so, and what was written is kept', async ({
    app,
    daemon,
    complaints,
}) => {
    test.slow();
    complaints.allow(/409 \(Conflict\)/);
    const handle = await daemon.agent('busy', `<<say on it>>${gate('go')}`);
    await daemon.paseo('send', handle, `<<say old>>${gate('end')}`);
    await app.open('busy');
    await app.queued.getByRole('button', { name: /^Edit/ }).click();
    const field = app.page.getByRole('textbox', { name: 'Text of the message' });
    await field.fill('<<say new>>');
    await daemon.touch('go');
    await expect(app.queued).toContainText('The agent already has the earlier text.');
    await expect(field).toHaveValue('<<say new>>');
    await expectAccessible(app.page);
    await button(app, 'Send as another message').click();
    await expect(app.queued).toContainText('<<say new>>');
    await daemon.touch('end');
    await expect(app.items('answer')).toHaveText(['on it', 'old', 'new']);
    await expect(app.queued).toHaveCount(0);
});

test('what the daemon refuses is said at the row, and the list is read again', async ({
    app,
    daemon,
    complaints,
}) => {
    test.slow();
    complaints.allow(/409 \(Conflict\)/);
    const handle = await daemon.agent('busy', `<<say on it>>${gate('go')}`);
    await daemon.paseo('send', handle, `<<say next>>${gate('end')}`);
    await app.open('busy');
    await expect(app.queued).toHaveCount(1);
    // The agent takes it up after the person pressed the button and before the daemon hears of it.
    await app.page.route('**/queue/*', async (route) => {
        await daemon.touch('go');
        await expect(app.items('answer')).toHaveText(['on it', 'next']);
        await route.continue();
    });
    // Until then, the page has not heard that it left.
    await app.page.route('**/queue', (route) => route.abort(), { times: 1 });
    complaints.allow(/net::ERR_FAILED/);
    await app.queued.getByRole('button', { name: /^Cancel/ }).click();
    await expect(app.queued.getByRole('alert')).toContainText('the agent already has the message');
    await expect(app.queued).toContainText('left the queue');
    await expectAccessible(app.page);
    await button(app, 'Close this notice').click();
    await expect(app.queued).toHaveCount(0);
    await daemon.touch('end');
});
