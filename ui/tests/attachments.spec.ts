import { expect, expectAccessible, test, type App } from './app';

/** A picture of eight by eight pixels. */
const SHOT =
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mM4IWeDFTEMLQkAd2xIgbfXr88AAAAASUVORK5CYII=';

const chips = (app: App) => app.page.getByRole('form', { name: 'Message' }).getByRole('listitem');
const send = (app: App) => app.page.getByRole('button', { name: 'Send' });
const picker = (app: App) => app.page.locator('input[type=file]');

interface Given {
    how: 'paste' | 'drop';
    name: string;
    data: string;
}

/** Gives the composer a file as the clipboard or the desktop does. */
async function give(app: App, given: Given): Promise<void> {
    await app.composer.evaluate((field, { how, name, data }: Given) => {
        const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
        const transfer = new DataTransfer();
        transfer.items.add(new File([bytes], name));
        const init = { bubbles: true, cancelable: true };
        field.dispatchEvent(
            how === 'paste'
                ? new ClipboardEvent('paste', { ...init, clipboardData: transfer })
                : new DragEvent('drop', { ...init, dataTransfer: transfer }),
        );
    }, given);
}

test('an image is pasted, sent and shown', async ({ app, daemon }) => {
    const handle = await daemon.agent('viewer', '<<say ready>>');
    await app.open('viewer');
    await expect(app.items('answer')).toHaveText(['ready']);
    await give(app, { how: 'paste', name: 'shot.png', data: SHOT });
    await expect(chips(app)).toHaveText(['shot.png 74 bytes']);
    // A file says nothing by itself.
    await expect(send(app)).toBeDisabled();
    await app.composer.fill('what is this?');
    await send(app).click();
    await expect(chips(app)).toHaveCount(0);
    await expect(app.items('answer').nth(1)).toContainText('Attached: shot.png (image/png, 74 bytes');
    const shown = app.items('message').last().getByRole('img', { name: 'shot.png' });
    for (const again of [false, true]) {
        if (again) await app.page.reload();
        await expect(shown).toBeVisible();
        await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(8);
    }
    expect(await daemon.paseo('logs', handle)).toContain('[shot.png: image/png, 74 bytes, 8×8]');
});

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('an image opens large, and closes again', async ({ app, daemon }) => {
            await daemon.agent('viewer', '<<say ready>>');
            await app.row('viewer').click();
            await give(app, { how: 'paste', name: '<b>shot<b>.png', data: SHOT });
            await app.composer.fill('look');
            await send(app).click();
            const thumbnail = app.items('message').last().getByRole('link', { name: /shot/ });
            const box = (await thumbnail.boundingBox())!;
            expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(where === 'on a phone' ? 44 : 36);
            await thumbnail.click();
            const dialog = app.page.getByRole('dialog');
            const large = dialog.getByRole('img');
            await expect(large).toBeVisible();
            const name = await large.getAttribute('alt');
            expect(name).toContain('shot');
            await expect(dialog).toHaveAccessibleName(name ?? '');
            await expect(dialog.locator('b')).toHaveCount(0);
            await expectAccessible(app.page);
            await app.page.keyboard.press('Escape');
            await expect(dialog).toHaveCount(0);
            await thumbnail.click();
            await dialog.getByRole('button', { name: 'Close' }).click();
            await expect(dialog).toHaveCount(0);
            await expect(app.page.getByRole('heading', { level: 1, name: 'viewer' })).toBeVisible();
        });
    });

test('a file that is removed is not sent', async ({ app, daemon }) => {
    await daemon.agent('viewer', '<<say ready>>');
    await app.open('viewer');
    await give(app, { how: 'drop', name: 'shot.png', data: SHOT });
    await picker(app).setInputFiles({
        name: 'notes.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('# Notes'),
    });
    await expect(chips(app)).toHaveText(['shot.png 74 bytes', 'notes.md 7 bytes']);
    await app.page.getByRole('button', { name: 'Remove shot.png' }).click();
    await expect(chips(app)).toHaveText(['notes.md 7 bytes']);
    await app.composer.fill('read this');
    await app.composer.press('Enter');
    await expect(app.items('answer').nth(1)).toContainText('Attached: notes.md');
    const message = app.items('message').last();
    await expect(message.getByRole('link', { name: 'notes.md' })).toHaveAttribute('download', 'notes.md');
    await expect(message.getByRole('img', { name: 'shot.png' })).toHaveCount(0);
    await expect(app.items('answer').filter({ hasText: 'shot.png' })).toHaveCount(0);
});

test('what cannot be sent is refused before it is', async ({ app, daemon, complaints }) => {
    complaints.allow(/415/);
    await daemon.agent('viewer', '<<say ready>>');
    await app.open('viewer');
    await app.composer.fill('look');
    let uploads = 0;
    app.page.on('request', (request) => {
        if (request.url().includes('/api/attachments')) uploads += 1;
    });
    const large = Buffer.alloc(32 * 1024 * 1024 + 1);
    await picker(app).setInputFiles({ name: 'large.png', mimeType: 'image/png', buffer: large });
    await expect(chips(app)).toContainText(['the file is larger than 32 MB']);
    expect(uploads).toBe(0);
    await expect(send(app)).toBeDisabled();
    await app.page.getByRole('button', { name: 'Remove large.png' }).click();
    await expect(send(app)).toBeEnabled();

    await give(app, { how: 'drop', name: 'a.png', data: btoa('PK\u0003\u0004 and more') });
    await expect(chips(app)).toContainText(['a ZIP archive']);
    await expect(send(app)).toBeDisabled();
    await app.page.getByRole('button', { name: 'Remove a.png' }).click();
    await app.composer.press('Enter');
    await expect(app.items('answer').nth(1)).toHaveText('You said: look');
});
