import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { App, expect, test } from './app';

test.use({ serviceWorkers: 'allow' });

/** Waits until the daemon's own service worker keeps the app. */
async function kept({ page }: App): Promise<void> {
    await expect(page.locator('link[rel=manifest]')).toHaveCount(1);
    await expect
        .poll(() =>
            page.evaluate(async () => {
                const registration = await navigator.serviceWorker.getRegistration('/app');
                const { state, scriptURL } = registration?.active ?? {};
                return [state, scriptURL && new URL(scriptURL).pathname];
            }),
        )
        .toEqual(['activated', '/app/sw.js']);
}

test('the app opens without the daemon', async ({ app, daemon, complaints }) => {
    complaints.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/);
    const { page } = app;
    await kept(app);
    await daemon.paseo('down');

    // Every page is there, also one that was not opened before; what the daemon knows is not.
    for (const [path, heading] of [
        ['/app', 'Inbox'],
        ['/app/settings/keys', 'Keys'],
        ['/app/agents', 'Agents'],
    ] as const) {
        await page.goto(daemon.url + path);
        await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
        await expect(page.getByText('No connection to the daemon')).toBeVisible();
    }
    const api = await page.evaluate(() =>
        fetch('/api/sessions').then(
            () => 'answered',
            () => 'refused',
        ),
    );
    expect(api).toBe('refused');

    await daemon.paseo('up');
    await daemon.agent('later', '<<say back>>');
    await expect(page.getByText('No connection to the daemon')).toHaveCount(0, { timeout: 30_000 });
    await expect(app.row('later')).toContainText('back');
});

test('the browser finds nothing against installing the app', async ({ daemon, complaints }) => {
    // The usual browser of a test keeps nothing, and installs nothing, whatever the page is like.
    const folder = await mkdtemp(join(tmpdir(), 'paseo-browser-'));
    const context = await chromium.launchPersistentContext(folder, test.info().project.use.launchOptions);
    await complaints.listen(context);
    const app = new App(await context.newPage());
    await app.login(daemon);
    await kept(app);
    const browser = await context.newCDPSession(app.page);
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors');
    expect(installabilityErrors).toEqual([]);
    const manifest = await browser.send('Page.getAppManifest');
    expect(manifest.errors).toEqual([]);
    expect(new URL(manifest.url).pathname).toBe('/app/manifest.webmanifest');
    const read = JSON.parse(manifest.data ?? '') as { icons: { src: string; sizes: string; type: string }[] };
    expect(read).toMatchObject({ id: '/app', start_url: '/app', scope: '/app', display: 'standalone' });
    for (const { src, sizes, type } of read.icons) {
        const found = await app.page.evaluate(async (src) => {
            const response = await fetch(src);
            const { width, height } = await createImageBitmap(await response.blob()).catch(() => new Image());
            return [response.headers.get('content-type'), `${width}x${height}`];
        }, src);
        expect(found[0]).toContain(type);
        if (sizes !== 'any') expect(found[1]).toBe(sizes);
    }
    await context.close();
    await rm(folder, { recursive: true, force: true });
});
