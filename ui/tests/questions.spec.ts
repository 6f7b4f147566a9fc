import type { Page } from '@playwright/test';
import { expect, expectAccessible, press, test } from './app';

const QUESTIONS =
    'Which colours?* | Blue: like <b\\>the sky</b\\> | Red | Green || When? | Now: at once | Later';

const said = (page: Page) =>
    page.waitForRequest(/\/permissions\/[0-9a-f]+$/).then((request) => request.postDataJSON() as object);

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('a question has its options as buttons', async ({ app, daemon }) => {
            await daemon.agent('curious', `<<choose ${QUESTIONS}>><<say on>>`);
            await app.row('curious').click();
            const ask = app.items('ask');
            const option = (name: string) => ask.getByRole('button', { name });
            await expect(option('Blue')).toContainText('like <b>the sky</b>');
            await expect(ask.locator('pre')).toBeHidden();
            const when = ask.getByRole('group', { name: 'When?' });
            await expect(when).toBeVisible();
            await expect(ask.getByRole('group', { name: 'Which colours?' })).toContainText(
                'Choose one or more.',
            );
            const none = ask.getByRole('button', { name: 'Do not answer' });
            await none.scrollIntoViewIfNeeded();
            await expect(none).toHaveAttribute('aria-disabled', 'false');
            await expectAccessible(app.page);
            await press(option('Blue'));
            await expect(option('Blue')).toHaveAttribute('aria-pressed', 'true');
            const answer = ask.getByRole('button', { name: 'Answer', exact: true });
            await expect(answer).toHaveAttribute('aria-disabled', 'true');
            // One answer: what is written takes the place of what was chosen.
            await press(option('Now'));
            await press(option('Later'));
            await expect(option('Now')).toHaveAttribute('aria-pressed', 'false');
            await when.getByRole('textbox', { name: 'Another answer' }).fill('next week');
            await expect(option('Later')).toHaveAttribute('aria-pressed', 'false');
            await press(option('Green'));
            await answer.scrollIntoViewIfNeeded();
            await expect(answer).toHaveAttribute('aria-disabled', 'false');
            const request = said(app.page);
            await press(answer);
            const answers = [
                { chosen: [0, 2], text: null },
                { chosen: [], text: 'next week' },
            ];
            expect(await request).toMatchObject({ allow: true, answers });
            await expect(app.items('note').last()).toContainText('Answered: Blue, Green; next week');
            await expect(app.items('answer').last()).toHaveText('on');
        });

        test('a plan is a document, approved or sent back', async ({ app, daemon }) => {
            await daemon.agent('planner', '<<plan # Tidy up\n\n1. look\n2. **act**>><<say on>>');
            await app.row('planner').click();
            const ask = app.items('ask');
            const document = ask.getByRole('document', { name: 'Plan' });
            await expect(document.getByRole('heading', { name: 'Tidy up' })).toBeVisible();
            await expect(document.locator('strong')).toHaveText('act');
            await ask.getByText('Exact request').click();
            await expect(ask.locator('pre')).toContainText('# Tidy up');
            const revise = ask.getByRole('button', { name: 'Revise' });
            await ask.getByRole('button', { name: 'Approve' }).scrollIntoViewIfNeeded();
            await expect(ask.getByRole('button', { name: 'Approve' })).toHaveAttribute(
                'aria-disabled',
                'false',
            );
            await expectAccessible(app.page);
            await expect(revise).toHaveAttribute('aria-disabled', 'true');
            await ask.getByRole('textbox', { name: 'What to change' }).fill('act first');
            await expect(revise).toHaveAttribute('aria-disabled', 'false');
            const request = said(app.page);
            await press(revise);
            expect(await request).toMatchObject({ allow: false, message: 'act first' });
            await expect(ask).toContainText('Denied');
        });

        test('a plan is there before the code that reads Markdown, and nothing moves when that comes', async ({
            stranger,
            daemon,
        }) => {
            const words = 'some words '.repeat(12);
            const plan = `# Tidy up\n\n${words}\n\n1. look\n2. **act**\n\n${words}`;
            await daemon.agent('planner', `<<plan ${plan}>><<say on>>`);
            await daemon.agent('second', '<<ask May I?>>');
            let come = () => {};
            const asked = new Promise<void>((done) => (come = done));
            let release = () => {};
            const released = new Promise<void>((done) => (release = done));
            // Without the list of agents, which loads that code before.
            const page = await stranger({ viewport });
            await page.route(/\/assets\/Markdown-.*\.js$/, async (route) => {
                come();
                await released;
                await route.continue();
            });
            await page.goto(await daemon.link());
            const card = page.getByRole('region', { name: 'planner asks for permission' });
            await expect(card.getByRole('document', { name: 'Plan' })).toContainText('# Tidy up');
            await asked;
            const tops = () =>
                page
                    .locator('section.card, section.card .buttons')
                    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as object));
            const before = await tops();
            expect(before).toHaveLength(4);
            release();
            await expect(card.getByRole('heading', { name: 'Tidy up' })).toBeVisible();
            expect(await tops()).toEqual(before);
            // All of it has room, or can be scrolled to.
            const text = card.getByRole('document', { name: 'Plan' });
            expect(await text.evaluate((all) => all.scrollHeight - all.clientHeight)).toBeLessThanOrEqual(1);
        });

        test('a plan that is approved is carried out', async ({ app, daemon }) => {
            const handle = await daemon.agent('planner', '<<plan # Tidy up\n\n1. look>><<say on it>>');
            await app.row('planner').click();
            const ask = app.items('ask');
            const approve = ask.getByRole('button', { name: 'Approve' });
            await approve.scrollIntoViewIfNeeded();
            await expect(approve).toHaveAttribute('aria-disabled', 'false');
            const request = said(app.page);
            await press(approve);
            expect(await request).toMatchObject({ allow: true });
            await expect(ask).toContainText('Allowed');
            await expect(app.items('answer')).toHaveText('on it');
            await daemon.paseo('wait', handle);
            expect((await daemon.inspect(handle)).status).toBe('idle');
        });
    });
