import type { Locator, Page } from '@playwright/test';
import { expect, type App } from './app';
import type { Daemon } from './daemon';

/** A worker that is ready, in the team red. */
export async function worker(daemon: Daemon, task = '<<say ready>>'): Promise<void> {
    await daemon.paseo('team', 'create', 'red', '-C', daemon.work);
    await daemon.paseo('worker', 'start', task, '--team', 'red', '--provider', 'scripted');
    await expect
        .poll(async () => (await daemon.paseo('worker', 'capture', 'red-1')).includes('ready'))
        .toBe(true);
}

export async function open(app: App, daemon: Daemon, name = 'red-1'): Promise<Locator> {
    const found = (await daemon.listed()).find((agent) => agent.name === name);
    const to = new URL(`/app/agents/${found?.id ?? ''}?panel=terminal`, app.page.url());
    await app.page.goto(to.href);
    return app.page.getByRole('region', { name: `Terminal of ${name}` });
}

/** What the emulator draws. */
export function rows(page: Page): Locator {
    return page.locator('.xterm-rows');
}
