import { basename } from 'node:path';
import { expect, test } from './app';
import { chip, close, form } from './newAgent';

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        for (const way of ['chosen', 'typed'] as const)
            test(`a project that is ${way} offers its definitions`, async ({ app, daemon }) => {
                const { page } = app;
                await daemon.project('helper.md', '---\nname: Helper\n---\nHelp.\n');
                await daemon.paseo('agents', 'trust', '--yes');
                // The list has only what the daemon remembers: its agent is closed.
                if (way === 'chosen') await daemon.paseo('close', await daemon.agent('before', '<<say hi>>'));
                await page.goto(`${daemon.url}/app/new`);
                const { fields: directory } = await chip(app, 'Directory');
                if (way === 'chosen')
                    await directory.getByRole('option', { name: basename(daemon.work) }).click();
                else {
                    await directory.getByRole('combobox', { name: 'Directory' }).fill(daemon.work);
                    await close(app);
                }
                await expect(form(app).getByRole('button', { name: 'Directory: work' })).toBeVisible();
                const offered = async () => {
                    const { fields } = await chip(app, 'Definition');
                    await expect(fields.getByRole('option', { name: /Helper/ })).toHaveCount(1);
                    await close(app);
                };
                await offered();
                await page.reload();
                await offered();
            });
    });
