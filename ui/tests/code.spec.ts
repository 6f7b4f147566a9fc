import { expect, expectAccessible, gate, test } from './app';

const RUST = 'fn main() {\n    // <img src=x onerror=alert(1)>\n    let text = "<script>";\n}\n';

/** Returns text for a step of a script. */
const say = (text: string) => `<<say ${text.replaceAll('>', '\\>')}>>`;

for (const colorScheme of ['light', 'dark'] as const)
    test.describe(`in ${colorScheme}`, () => {
        test.use({ colorScheme });

        test('code is coloured, and stays text', async ({ app, daemon }) => {
            await daemon.agent(
                'coder',
                say('Look:\n\n```rust\n' + RUST + '```\n\n```nonsense\nplain <b>\n```\n'),
            );
            await app.open('coder');
            const code = app.items('answer').locator('pre');
            await expect(code.locator('span.keyword').first()).toHaveText('fn');
            await expect(code.locator('span.comment')).toHaveText('// <img src=x onerror=alert(1)>');
            await expect(code.locator('span.string')).toHaveText('"<script>"');
            await expect(code.first()).toHaveText(RUST.trimEnd(), { useInnerText: true });
            await expect(code.last()).toHaveText('plain <b>');
            await expect(code.last().locator('span')).toHaveCount(0);
            await expect(app.page.getByRole('main').locator('pre img, pre script, pre b')).toHaveCount(0);
            await expectAccessible(app.page);
        });
    });

test('code that is being written is coloured once it is closed', async ({ app, daemon }) => {
    await daemon.agent(
        'coder',
        `<<stream 1ms \`\`\`rust\nfn first() {}\n\`\`\`\n\n\`\`\`rust\nfn second() {}>>${gate('on')}`,
    );
    await app.open('coder');
    const code = app.page.getByRole('main').locator('pre[aria-label="Code rust"]');
    await expect(code.first().locator('.keyword')).toHaveText('fn');
    await expect(code.last()).toHaveText('fn second() {}');
    await expect(code.last().locator('.keyword')).toHaveCount(0);
    await daemon.touch('on');
});

test('code and answers can be copied', async ({ app, daemon, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await daemon.agent('coder', `<<say first>><<sh true>>${say('Use **this**:\n\n```sh\nls -l\n```')}`);
    await app.open('coder');
    const copied = () => app.page.evaluate(() => navigator.clipboard.readText());
    const answer = app.items('answer').last();
    await answer.getByRole('button', { name: 'Copy code' }).click();
    await expect(answer.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await copied()).toBe('ls -l');
    await answer.getByRole('button', { name: 'Copy answer' }).click();
    await expect(answer.getByRole('button', { name: 'Copied' }).last()).toBeVisible();
    expect(await copied()).toBe('Use **this**:\n\n```sh\nls -l\n```');
    // What was said on the way is not what people copy.
    await expect(app.items('answer').first().getByRole('button')).toHaveCount(0);
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('a block of code has a button for a thumb', async ({ app, daemon }) => {
        await daemon.agent('coder', say('```sh\nls\n```'));
        await app.row('coder').tap();
        const button = app.items('answer').getByRole('button', { name: 'Copy code' });
        await expect(button).toBeVisible();
        const box = (await button.boundingBox())!;
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44);
        await expectAccessible(app.page);
    });
});
