import type { Locator } from '@playwright/test';
import { expect, expectAccessible, gate, test } from './app';

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('permissions change from the next turn, and the header says so', async ({ app, daemon }) => {
            test.slow();
            const handle = await daemon.agent('worker', `${gate('go')}<<sh touch first>>`);
            await app.row('worker').click();
            const { page } = app;
            const opener = page.getByRole('button', { name: /^Model and permissions: scripted/ });
            expect(await isReachable(opener)).toBe(true);
            await opener.click();
            const dialog = page.getByRole('dialog', { name: 'Model and permissions' });
            await expect(dialog.getByRole('radio', { name: /^Full access/ })).toBeChecked();
            await expectAccessible(page);
            await dialog.getByRole('radio', { name: /^Read-only/ }).check();
            await dialog.getByRole('button', { name: 'Save' }).click();
            await expect(dialog).toBeHidden();
            await expect(opener).toHaveAccessibleName(/read-only, from the next turn$/);
            await daemon.touch('go');
            await expect(opener).toHaveAccessibleName(/read-only$/);
            expect(await daemon.inspect(handle)).toMatchObject({ permissions: 'read-only' });
        });
    });

/** Says whether a person could tap something where it is: nothing clips it, nothing covers it, nothing is scrolled first. */
function isReachable(of: Locator): Promise<boolean> {
    return of.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return hit !== null && (element.contains(hit) || hit.contains(element));
    });
}

for (const [width, panels] of [
    [390, []],
    [768, []],
    [1024, []],
    [1024, ['Info']],
    [1440, ['Info', 'Files', 'To-do list']],
] as const)
    test.describe(`at ${width} pixels with ${panels.length} panels`, () => {
        test.use({ viewport: { width, height: 844 } });

        test('everything in the header can be seen and reached', async ({ app, daemon }) => {
            await daemon.repository();
            await daemon.define('reviewer', "name = 'A reviewer with a name'\nprovider = 'scripted'\n");
            const flags = ['--worktree=other', '--agent', 'reviewer'];
            const handle = await daemon.agent('worker', '<<say hi>>', ...flags);
            await app.open('worker');
            const { page } = app;
            for (const panel of panels) await page.getByRole('button', { name: panel, exact: true }).click();
            const header = page.getByRole('main').locator('header').first();
            const opener = header.getByRole('button', { name: /^Model and permissions: scripted/ });
            await expect(opener).toContainText('full access');
            for (const fact of [
                opener,
                header.getByRole('button', { name: /^Status: / }),
                header.getByRole('button', { name: /^Switch agent/ }),
                header.getByText(handle, { exact: true }),
                header.getByText('paseo/'),
                header.getByRole('button', { name: 'Actions for this agent' }),
            ])
                await expect.poll(() => isReachable(fact)).toBe(true);
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        });
    });

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`beside the header, on a ${what}`, () => {
        test.use({ viewport });

        test('the panel and the menu change what an agent runs with', async ({ app, daemon }) => {
            const handle = await daemon.agent('worker', '<<say hi>>');
            await app.open('worker');
            const { page } = app;
            await page.getByRole('button', { name: 'Actions for this agent' }).click();
            await page.getByRole('menuitem', { name: 'Model and permissions…' }).click();
            const sheet = page.getByRole('dialog', { name: 'Model and permissions of worker' });
            await sheet.getByRole('radio', { name: /^Read-only/ }).check();
            await expectAccessible(page);
            await sheet.getByRole('button', { name: 'Save' }).click();
            await expect(sheet).toBeHidden();
            await expect.poll(() => daemon.inspect(handle)).toMatchObject({ permissions: 'read-only' });

            await page.getByRole('button', { name: 'Info', exact: true }).click();
            await page.getByRole('button', { name: 'Change model and permissions' }).click();
            const popover = page.getByRole('dialog', { name: 'Model and permissions', exact: true });
            await expect(popover.getByRole('radio', { name: /^Read-only/ })).toBeChecked();
            await popover.getByRole('radio', { name: /^Ask first/ }).check();
            await expectAccessible(page);
            await popover.getByRole('button', { name: 'Save' }).click();
            await expect(popover).toBeHidden();
            await expect.poll(() => daemon.inspect(handle)).toMatchObject({ permissions: 'ask' });
        });
    });

test('the efforts are those of the model', async ({ app, daemon }) => {
    await daemon.editor();
    await daemon.agent('worker', 'hello', '--provider', 'editor');
    const model = (id: string, efforts: string[]) => ({ id, name: id, default: id === 'fast', efforts });
    const models = [model('fast', ['low']), model('thorough', ['high', 'extreme'])];
    await app.page.route('**/api/providers/editor/models*', (route) =>
        route.fulfill({ json: { models, next: null } }),
    );
    await app.open('worker');
    await app.page.getByRole('button', { name: /^Model and permissions: / }).click();
    const dialog = app.page.getByRole('dialog', { name: 'Model and permissions' });
    const efforts = dialog.getByRole('combobox', { name: 'Effort' }).getByRole('option');
    await expect(efforts).toHaveText(['Default', 'low']);
    await dialog.getByRole('combobox', { name: 'Model' }).fill('thorough');
    await expect(efforts).toHaveText(['Default', 'high', 'extreme']);
});

test('a refusal is said where the choice was made', async ({ app, daemon, complaints }) => {
    complaints.allow(/403/);
    await daemon.define('careful', "description = 'x'\npermissions = 'ask'");
    await daemon.agent('worker', '<<say hi>>', '--agent', 'careful');
    await app.open('worker');
    await app.page.getByRole('button', { name: /^Model and permissions/ }).click();
    const dialog = app.page.getByRole('dialog', { name: 'Model and permissions' });
    await dialog.getByRole('radio', { name: /^Full access/ }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByRole('alert')).toContainText('`ask` at most');
});
