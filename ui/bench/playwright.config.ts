import { defineConfig } from '@playwright/test';
import base from '../playwright.config';

/** Plays the scenes that `make bench` and `make soak` measure: they make a daemon first, and tell of it in PASEO_BENCH. */
export default defineConfig({
    ...base,
    testDir: '.',
    testMatch: '*.scene.ts',
    outputDir: '../test-results/bench',
    workers: 1,
    // Scenes say themselves when they take longer.
    timeout: 300_000,
    expect: { timeout: 30_000 },
    reporter: [['./reporter.ts']],
    use: { ...base.use, trace: 'off' },
});
