import { defineConfig } from '@playwright/test';

export default defineConfig({
    testDir: 'tests',
    // What pages read like is the same on every machine.
    snapshotPathTemplate: '{testDir}/aria/{arg}{ext}',
    // Tests wait for events: this is only for what hangs, on a machine that has other things to do.
    timeout: 60_000,
    expect: { timeout: 10_000 },
    fullyParallel: true,
    workers: 2,
    forbidOnly: Boolean(process.env['CI']),
    reporter: [['list']],
    use: {
        viewport: { width: 1280, height: 800 },
        trace: 'retain-on-failure',
        // What a service worker has in its cache, a test could not take away.
        serviceWorkers: 'block',
        launchOptions: {
            executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
            args: [
                '--no-sandbox',
                '--disable-gpu',
                '--disable-quic',
                '--no-first-run',
                '--disable-background-networking',
                '--disable-component-update',
                '--disable-sync',
            ],
        },
    },
});
