import { expect, expectAccessible, test } from './app';
import { PHONE } from './journey';

for (const [form, options] of [
    ['phone', PHONE],
    ['desktop', { viewport: { width: 1280, height: 800 } }],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(options);

        test('an edit shows as a diff, not as the input of its tool', async ({ app, daemon }) => {
            await daemon.editor();
            await daemon.agent('greeter', 'Be polite', '--provider', 'editor');
            await app.open('greeter');
            await expect(app.items('answer')).toHaveText('Greeted with fast, low.');
            const call = app.items().filter({ hasText: 'Edit greeting.txt' });
            const diff = call.getByRole('figure');
            await expect(diff).toContainText('greeting.txt');
            await expect(diff.getByLabel('Changes to greeting.txt')).toContainText('-Hello there');
            await expect(diff.locator('.added')).toHaveText(['+Good morning']);
            await expect(diff.locator('.removed')).toHaveText(['-Hello there']);
            await expect(call).not.toContainText('old_string');
            await expect(call.getByText('Input')).toHaveCount(0);
            await expectAccessible(app.page);
            // It folds like every call.
            await call.getByRole('button', { name: /Edit greeting\.txt/ }).click();
            await expect(diff).toHaveCount(0);
        });
    });
