import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './app';
import { chip, close, form, prompt } from './newAgent';

const run = promisify(execFile);
for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('provider, model, effort and base reach the agent', async ({ app, daemon }) => {
            const { page } = app;
            await daemon.repository();
            const git = (...args: string[]) => run('git', args, { cwd: daemon.work });
            const base = (await git('rev-parse', 'HEAD')).stdout.trim();
            await git('branch', 'earlier');
            const who = ['-c', 'user.name=You', '-c', 'user.email=you@example.org'];
            await git(...who, 'commit', '--quiet', '--allow-empty', '--message', 'Later');
            await daemon.editor();
            await daemon.agent('before', '<<say hi>>');
            await expect(app.row('before')).toBeVisible();
            await page.goto(`${daemon.url}/app/new`);

            const engine = await chip(app, 'Provider');
            await engine.fields.getByRole('combobox', { name: 'Provider' }).selectOption('editor');
            await engine.fields.getByRole('combobox', { name: 'Model' }).fill('thorough');
            await engine.fields.getByRole('combobox', { name: 'Effort' }).selectOption('high');
            await close(app);
            await expect(engine.button).toHaveAccessibleName('Provider: editor · thorough · high');
            const place = await chip(app, 'Worktree');
            await place.fields.getByRole('radio', { name: /^Own worktree/ }).check();
            await place.fields.getByRole('textbox', { name: 'Base' }).fill('earlier');
            await close(app);
            await expect(place.button).toHaveAccessibleName(/from earlier$/);
            await prompt(app).fill('Be polite');
            await page.getByRole('button', { name: 'Start', exact: true }).click();
            await expect(app.items('answer')).toHaveText('Greeted with thorough, high.');

            const session = await daemon.session(page.url().split('/').at(-1)!);
            expect(session).toMatchObject({
                provider: 'editor',
                model: 'thorough',
                effort: 'high',
                worktree: { base },
            });
        });

        test('a file is dropped, and another one mentioned', async ({ app, daemon }) => {
            const { page } = app;
            await daemon.define('default', "provider = 'scripted'");
            await daemon.write('notes.md', 'roses');
            await daemon.agent('before', '<<say hi>>');
            await expect(app.row('before')).toBeVisible();
            await page.goto(`${daemon.url}/app/new`);
            await prompt(app).evaluate((field) => {
                const data = new DataTransfer();
                data.items.add(new File(['violets'], '<i>list.txt', { type: 'text/plain' }));
                for (const type of ['dragover', 'drop'])
                    field.dispatchEvent(
                        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
                    );
            });
            const attached = form(app).getByRole('list', { name: 'Attached files' });
            await expect(attached).toContainText('<i>list.txt');

            await prompt(app).fill('<<say see @not');
            const files = page.getByRole('listbox', { name: 'Files' });
            await files.getByRole('option', { name: 'notes.md' }).click();
            await expect(prompt(app)).toHaveValue('<<say see @notes.md ');
            await prompt(app).press('End');
            await page.keyboard.type('>>');
            await page.getByRole('button', { name: 'Start', exact: true }).click();
            await expect(app.items('answer')).toContainText(['Attached: <i>list.txt', 'see @notes.md']);
        });
    });
