import type { Page } from '@playwright/test';
import { expect, expectAccessible, press, test } from './app';

const FORM = JSON.stringify({
    title: 'Book a table',
    required: ['name', 'seats', 'day'],
    properties: {
        name: { type: 'string', title: 'Name', description: 'On the list', default: 'Ann' },
        seats: { type: 'integer', title: 'Seats', minimum: 1, maximum: 8 },
        window: { type: 'boolean', title: 'At the window' },
        day: { type: 'string', title: 'Day', enum: ['today', 'tomorrow'] },
        pin: { type: 'string', title: 'PIN', format: 'password' },
    },
});

const said = (page: Page) =>
    page.waitForRequest(/\/permissions\/[0-9a-f]+$/).then((request) => request.postDataJSON() as object);

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('a form is filled in, and what does not fit is refused', async ({ app, daemon, complaints }) => {
            complaints.allow(/400 \(Bad Request\)/);
            await daemon.agent('waiter', `<<form ${FORM}>><<say on>>`);
            await app.row('waiter').click();
            const ask = app.items('ask');
            await expect(ask).toContainText('Book a table');
            await expect(ask.getByRole('textbox', { name: 'Name' })).toHaveValue('Ann');
            const pin = ask.getByLabel('PIN');
            await expect(pin).toHaveAttribute('type', 'password');
            await expect(pin).toHaveAttribute('autocomplete', 'off');
            const submit = ask.getByRole('button', { name: 'Submit' });
            const cancel = ask.getByRole('button', { name: 'Cancel' });
            await cancel.scrollIntoViewIfNeeded();
            await expect(cancel).toHaveAttribute('aria-disabled', 'false');
            await expect(submit).toHaveAttribute('aria-disabled', 'true');
            await expectAccessible(app.page);
            const seats = ask.getByRole('textbox', { name: 'Seats' });
            await seats.fill('9');
            await ask.getByRole('group', { name: 'Day' }).getByRole('button', { name: 'tomorrow' }).click();
            await ask.getByRole('checkbox', { name: 'At the window' }).check();
            await pin.fill('hunter2');
            await submit.scrollIntoViewIfNeeded();
            await expect(submit).toHaveAttribute('aria-disabled', 'false');
            await press(submit);
            await expect(ask.getByRole('alert')).toContainText('from 1 to 8');
            await ask.getByRole('button', { name: 'Close' }).click();
            await seats.fill('2');
            await submit.scrollIntoViewIfNeeded();
            await expect(submit).toHaveAttribute('aria-disabled', 'false');
            const request = said(app.page);
            await press(submit);
            const fields = { name: 'Ann', seats: 2, window: true, day: 'tomorrow', pin: 'hunter2' };
            expect(await request).toMatchObject({ allow: true, fields });
            await expect(app.items('note').last()).toContainText('"pin":"[secret]"');
            await expect(app.page.getByText('hunter2')).toHaveCount(0);
        });

        test('a form is closed without an answer', async ({ app, daemon }) => {
            await daemon.agent('waiter', `<<form ${FORM}>><<say on>>`);
            await app.row('waiter').click();
            const cancel = app.items('ask').getByRole('button', { name: 'Cancel' });
            await cancel.scrollIntoViewIfNeeded();
            await expect(cancel).toHaveAttribute('aria-disabled', 'false');
            const request = said(app.page);
            await press(cancel);
            expect(await request).toMatchObject({ allow: false, cancel: true });
            await expect(app.items('note').last()).toContainText('Cancelled');
        });

        test('a secret is masked and never shown', async ({ app, daemon }) => {
            await daemon.agent('guard', '<<secret Which passphrase?>><<say on>>');
            await app.row('guard').click();
            const ask = app.items('ask');
            const field = ask.getByLabel('Your secret answer');
            await expect(field).toHaveAttribute('type', 'password');
            await expect(field).toHaveAttribute('autocomplete', 'off');
            await field.fill('hunter2');
            const answer = ask.getByRole('button', { name: 'Answer', exact: true });
            await answer.scrollIntoViewIfNeeded();
            await expect(answer).toHaveAttribute('aria-disabled', 'false');
            await expectAccessible(app.page);
            await press(answer);
            await expect(app.items('note').last()).toContainText('Answered: [secret]');
            await expect(app.page.getByText('hunter2')).toHaveCount(0);
        });

        test('only a web address is a link, and a preview is shown when it is asked for', async ({
            app,
            daemon,
        }) => {
            await daemon.agent('guide', '<<link https://example.com/login>><<say on>>');
            await app.row('guide').click();
            const link = app.items('ask').getByRole('link', { name: 'https://example.com/login' });
            await expect(link).toHaveAttribute('rel', /noopener/);
            await daemon.agent('fox', '<<link javascript:alert(1)>><<say on>>');
            await app.page.goBack();
            await app.row('fox').click();
            await expect(app.items('ask')).toContainText('javascript:alert(1)');
            await expect(app.items('ask').getByRole('link')).toHaveCount(0);
            await daemon.agent('painter', '<<choose Which? | A: small ~ +-+ | B>><<say on>>');
            await app.page.goBack();
            await app.row('painter').click();
            const ask = app.items('ask');
            await ask.getByText('Preview of A').click();
            await expect(ask.getByRole('group', { name: 'Preview of A' })).toHaveText('+-+');
            await expectAccessible(app.page);
        });
    });
