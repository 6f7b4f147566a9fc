import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, expectAccessible, test, type App } from './app';
import type { Daemon } from './daemon';

/** A picture of eight by eight pixels. */
const SHOT =
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4IWeDFTEMLQkAd2xIgbfXr88AAAAASUVORK5CYII=';

/** Fills the directory of the agents with what is easy and what is hard to show. */
async function fill(daemon: Daemon): Promise<void> {
    await daemon.repository();
    await mkdir(join(daemon.work, 'src'));
    await mkdir(join(daemon.work, 'src', 'empty'));
    await symlink('/etc/passwd', join(daemon.work, 'out'));
    await writeFile(join(daemon.work, 'shot.png'), Buffer.from(SHOT, 'base64'));
    await writeFile(join(daemon.work, 'data.bin'), Buffer.from([0, 1, 2, 3, 0, 255]));
    await daemon.write('.gitignore', '*.log\n');
    await daemon.write('run.log', 'noise\n');
    await daemon.write('big.txt', 'line\n'.repeat(60_000));
    await daemon.write('src/main.rs', 'fn main() {\n    println!("<b>hello</b>");\n}\n');
    await daemon.write('invoice\u202efdp.exe', 'a\u202eb\n');
    await daemon.write('two\nlines <b>', 'x');
    await daemon.write(`${'long'.repeat(60)}.txt`, 'long');
}

async function open(app: App): Promise<void> {
    await app.row('worker').click();
    await expect(app.items('answer')).toHaveText(['one']);
    await app.page.goto(`${app.page.url().split('?')[0]}?panel=files`);
}

for (const [what, viewport] of [
    ['desktop', { width: 1440, height: 900 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('the files of an agent are browsed', async ({ app, daemon }, info) => {
            // Many steps, on a machine that may have other things to do.
            test.slow();
            await fill(daemon);
            await daemon.agent('worker', '<<say one>>', '--no-worktree');
            await open(app);
            const { page } = app;
            const files = page.getByRole('group', { name: 'Files of the agent' });
            const entry = (name: string | RegExp) => files.getByRole('button', { name });
            const path = files.getByRole('navigation', { name: 'Path' });
            await expect(entry(/^src\//)).toBeVisible();
            await expect(entry('invoice\\u{202e}fdp.exe')).toBeVisible();
            await expect(entry('two\\nlines <b>')).toBeVisible();
            await expect(entry(/^out broken link, or link to outside/)).toHaveAttribute(
                'aria-disabled',
                'true',
            );
            await expectAccessible(page);
            await page.screenshot({ path: info.outputPath('list.png') });

            // What git ignores is behind a switch.
            await expect(entry(/^run\.log/)).toHaveCount(0);
            const ignored = files.getByRole('switch', { name: 'Show ignored files' });
            await ignored.click();
            await expect(entry(/^run\.log/)).toBeVisible();
            await expect(ignored).toHaveAttribute('aria-checked', 'true');

            // By keyboard: in, down, back to where one was.
            await entry(/^src\//).focus();
            await page.keyboard.press('Enter');
            await expect(entry(/^empty\//)).toBeFocused();
            await page.keyboard.press('ArrowDown');
            await expect(entry(/^main\.rs/)).toBeFocused();
            await page.keyboard.press('Enter');
            await expect(path).toHaveText(/work\s*\/\s*src\s*\/\s*main\.rs/);
            const code = files.getByRole('group', { name: 'Code rs' });
            await expect(code).toContainText('println!("<b>hello</b>");');
            await expect(code.locator('.keyword').first()).toHaveText('fn');
            await expectAccessible(page);
            await page.screenshot({ path: info.outputPath('text.png') });
            await page.keyboard.press('Backspace');
            await expect(entry(/^main\.rs/)).toBeFocused();
            await page.keyboard.press('Home');
            await page.keyboard.press('Enter');
            await expect(files).toContainText('This directory is empty.');
            await page.keyboard.press('Backspace');
            await expect(entry(/^empty\//)).toBeFocused();
            await path.getByRole('button', { name: 'work' }).click();
            await expect(entry(/^src\//)).toBeFocused();

            // What cannot be shown as text says what it is.
            await entry(/^shot\.png/).click();
            const image = files.getByRole('img', { name: 'shot.png' });
            await expect(image).toBeVisible();
            await expect.poll(() => image.evaluate((node: HTMLImageElement) => node.naturalWidth)).toBe(8);
            await page.screenshot({ path: info.outputPath('image.png') });
            await path.getByRole('button', { name: 'work' }).click();
            await entry(/^data\.bin/).click();
            await expect(files).toContainText('Only text and images are shown.');
            await path.getByRole('button', { name: 'work' }).click();
            await entry(/^big\.txt/).click();
            await expect(files).toContainText('Only the beginning is shown');
            await path.getByRole('button', { name: 'work' }).click();
            await entry(/^invoice/).click();
            await expect(files).toContainText('text-reversing characters are in line 1');
            await path.getByRole('button', { name: 'work' }).click();

            // No name makes the page wider than the screen.
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
        });
    });

test('a large directory is read page by page, and one that is gone says so', async ({
    app,
    complaints,
    daemon,
}) => {
    complaints.allow(/404/);
    const many = join(daemon.work, 'many');
    await mkdir(many);
    const names = Array.from({ length: 450 }, (_, at) => `f${String(at).padStart(3, '0')}`);
    await Promise.all(names.map((name) => writeFile(join(many, name), '')));
    await daemon.agent('worker', '<<say one>>', '--no-worktree');
    await open(app);
    const { page } = app;
    const files = page.getByRole('group', { name: 'Files of the agent' });
    await files.getByRole('button', { name: /^many\// }).click();
    const rows = files.getByRole('listitem').filter({ hasText: /^\s*f\d/ });
    await expect(rows).toHaveCount(200);
    await expect(rows.first().getByRole('button')).toBeFocused();
    await page.keyboard.press('End');
    await expect(rows).toHaveCount(400);
    await page.keyboard.press('End');
    await expect(rows).toHaveCount(450);
    await expect(files.getByRole('button', { name: 'Show more' })).toHaveCount(0);

    await rename(many, join(daemon.work, 'moved'));
    await files.getByRole('button', { name: 'Read again' }).click();
    await expect(files.getByRole('alert')).toBeVisible();
    await files.getByRole('navigation').getByRole('button', { name: 'work' }).click();
    await expect(files.getByRole('alert')).toHaveCount(0);
    await expect(files.getByRole('button', { name: /^moved\// })).toBeVisible();
});
