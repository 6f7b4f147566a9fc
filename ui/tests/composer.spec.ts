import { expect, expectAccessible, gate, test } from './app';
import { said } from './asked';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

test('a draft survives a reload, and is gone once it is sent', async ({ app, daemon }) => {
    await daemon.agent('one', '<<say ready>>');
    await daemon.agent('two', '<<say ready>>');
    await app.open('one');
    await app.composer.fill('half a <b>sentence</b>\nand more');
    await app.page.reload();
    await expect(app.composer).toHaveValue('half a <b>sentence</b>\nand more');
    await app.open('two');
    await expect(app.composer).toHaveValue('');
    await app.open('one');
    await app.composer.press('Enter');
    await expect(app.items('message').last()).toContainText('half a <b>sentence</b>');
    await app.page.reload();
    await expect(app.items('message').last()).toContainText('half a <b>sentence</b>');
    await expect(app.composer).toHaveValue('');
});

test('a message can be steered into the running turn', async ({ app, daemon }) => {
    const busy = await daemon.agent('busy', `<<say on it>>${gate('go')}<<say end>>`);
    await app.open('busy');
    await app.page.getByRole('radio', { name: 'Steer' }).check();
    await app.composer.fill('<<say steered>>');
    await app.page.getByRole('button', { name: 'Steer' }).click();
    await expect(app.page.getByText('into this turn')).toBeVisible();
    await daemon.touch('go');
    await expect(app.items('answer')).toHaveText(['on it', 'end', 'steered']);
    await expect(app.status()).toContainText('idle');
    // All of it is one turn: a message that waited would have begun another.
    const messages = await said(daemon, busy);
    expect(messages.map(({ text }) => text)).toEqual([expect.stringContaining('on it'), '<<say steered>>']);
    expect(messages[1]?.turn).toBe(messages[0]?.turn);
});

test('only an agent that can take a message into its turn is steered', async ({ app, daemon }) => {
    await daemon.editor();
    await daemon.agent('editor', 'wait', '--provider', 'editor');
    await daemon.agent('scripted', gate('never'));
    await app.row('editor').click();
    const choices = app.page.getByRole('group', { name: 'When it is read' }).getByRole('radio');
    await expect(choices).toHaveCount(2);
    await expect(app.page.getByRole('radio', { name: 'Steer' })).toHaveCount(0);
    await app.row('scripted').click();
    await expect(choices).toHaveCount(3);
});

test('a receipt says what the daemon says', async ({ app, daemon, another }) => {
    await daemon.agent('failing', `<<say first words>>${gate('fail')}<<fail no luck>>`);
    const stopped = await daemon.agent('stopped', `<<say first words>>${gate('never')}`);
    await daemon.agent('fine', '<<say all good>>');
    const other = await another();
    const receipt = (who: typeof app) => who.items('message').locator('.receipt');
    const both = [app, other];
    for (const who of both) await who.open('failing');
    for (const who of both) await expect(who.items('answer')).toHaveText('first words');
    for (const who of both) await expect(receipt(who)).toHaveAttribute('aria-label', 'handed');
    await daemon.touch('fail');
    for (const who of both) await expect(receipt(who)).toHaveAttribute('aria-label', 'failed');
    for (const who of both) await who.open('stopped');
    for (const who of both) await expect(receipt(who)).toHaveAttribute('aria-label', 'handed');
    await daemon.paseo('stop', stopped);
    for (const who of both) await expect(receipt(who)).toHaveAttribute('aria-label', 'interrupted');
    await app.open('fine');
    await expect(receipt(app)).toHaveAttribute('aria-label', 'answered');
    // The same after a reload.
    await app.open('failing');
    await app.page.reload();
    await expect(receipt(app)).toHaveAttribute('aria-label', 'failed');
});

test('a failed turn can be tried again', async ({ app, daemon }) => {
    await daemon.agent('unlucky', '<<fail no luck>>');
    await app.open('unlucky');
    const retry = app.page.getByRole('button', { name: 'Retry' });
    await expect(retry).toBeVisible();
    await expectAccessible(app.page);
    await retry.click();
    await expect(app.items('message').last()).toContainText('Continue.');
    await expect(app.items('answer')).toHaveText(['You said: Continue.']);
    await expect(retry).toHaveCount(0);
});

test('a turn that was cut off with the daemon can be tried again', async ({ app, daemon, complaints }) => {
    complaints.allow(/ERR_|Failed to load|50[23]/);
    await daemon.agent('unlucky', `<<say on it>>${gate('never')}`);
    await app.open('unlucky');
    await expect(app.items('answer')).toHaveText(['on it']);
    const retry = app.page.getByRole('button', { name: 'Retry' });
    await expect(retry).toHaveCount(0);
    await daemon.kill();
    await expect(app.page.getByText('The last turn was interrupted.')).toBeVisible();
    await expectAccessible(app.page);
    await retry.click();
    await expect(app.items('message').last()).toContainText('Continue.');
    await expect(app.items('answer').last()).toHaveText('You said: Continue.');
    await expect(retry).toHaveCount(0);
    await expect(app.page.getByText('The last turn was interrupted.')).toHaveCount(0);
});

test('rows say when they were, and what is copied does not', async ({ app, daemon }) => {
    await daemon.agent('timed', '<<say hello>><<sh true>>');
    await app.open('timed');
    for (const kind of ['message', 'answer', 'tool']) {
        const time = app.items(kind).locator('time');
        await expect(time).toBeVisible();
        await expect(time).toHaveAttribute('data-shown', /\d\d:\d\d/);
    }
    await expect(app.items('answer')).toHaveText('hello');
});

test.describe('on a phone', () => {
    test.use(PHONE);

    test('nothing in the composer touches an edge or is cut off', async ({ app, daemon }) => {
        const handle = await daemon.agent('busy', '<<say on it>><<hang>>');
        await app.row('busy').tap();
        await expect(app.page.getByRole('radio')).toHaveCount(3);
        const form = app.page.getByRole('form', { name: 'Message' });
        const cut = await form.locator('label span, button').evaluateAll((all) => {
            const form = document.querySelector('form')!.getBoundingClientRect();
            return all
                .filter((each) => {
                    const { left, right } = each.getBoundingClientRect();
                    const words = document.createRange();
                    words.selectNodeContents(each);
                    const inside = words.getBoundingClientRect();
                    return (
                        left < form.left + 4 ||
                        right > form.right - 4 ||
                        inside.left < left + 4 ||
                        inside.right > right - 4
                    );
                })
                .map((each) => each.textContent);
        });
        expect(cut).toEqual([]);
        await expectAccessible(app.page);
        await daemon.paseo('stop', handle);
        await daemon.paseo('close', handle);
        await expect(app.composer).toHaveAttribute('placeholder', 'Reopen with a message');
        const fits = await app.composer.evaluate((field: HTMLTextAreaElement) => {
            const context = document.createElement('canvas').getContext('2d')!;
            const style = getComputedStyle(field);
            context.font = style.font;
            const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
            return context.measureText(field.placeholder).width <= room;
        });
        expect(fits).toBe(true);
        await expect(app.items('message').locator('time')).toBeVisible();
    });
});
