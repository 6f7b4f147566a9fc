import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, test } from './app';
import type { Daemon } from './daemon';

export const EVIL = '<img src=x onerror=alert(1)> \u202egnp.exe';
/** As the page shows it: nothing runs, and nothing is turned around. */
export const SHOWN_EVIL = '<img src=x onerror=alert(1)> \\u{202e}gnp.exe';

/** The pages of the settings in the words of those who use them. */
export class Settings {
    readonly main: Locator;
    readonly dialog: Locator;

    constructor(readonly page: Page) {
        this.main = page.getByRole('main');
        this.dialog = page.getByRole('dialog');
    }

    /** Goes to a page by its address. */
    async open(path: string, title: string): Promise<void> {
        await this.page.goto(new URL(`/app/settings/${path}`, this.page.url()).href);
        await expect(this.main.getByRole('heading', { level: 1, name: title })).toBeVisible();
        await expect(this.main.getByRole('status', { name: 'Loading' })).toHaveCount(0);
    }

    row(text: string): Locator {
        return this.main.getByRole('listitem').filter({ hasText: text });
    }

    /** Takes the second step, once the button takes it. */
    async confirm(name: string): Promise<void> {
        const button = this.dialog.getByRole('button', { name, exact: true });
        await expect(button).toBeEnabled();
        await button.click();
    }

    /** Everything fits the screen, can be hit, and can be read. */
    async expectFit(): Promise<void> {
        const wide = await this.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(wide, this.page.url()).toBe(false);
        const least = (this.page.viewportSize()?.width ?? 0) < 768 ? 44 : 36;
        const controls = this.main.getByRole('button').or(this.main.getByRole('switch'));
        for (const control of await controls.all())
            expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(least);
        await expectAccessible(this.page);
    }
}

/** Runs the same tests on a phone in the dark and on a desktop in the light. Each looks at several pages. */
export function onBoth(looks: () => void): void {
    const tests = () => {
        test.slow();
        looks();
    };
    test.describe('on a phone, dark', () => {
        test.use({
            viewport: { width: 390, height: 844 },
            hasTouch: true,
            isMobile: true,
            colorScheme: 'dark',
        });
        tests();
    });
    test.describe('on a desktop, light', () => {
        test.use({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
        tests();
    });
}

/** Has a command remembered: one agent asks, and the answer holds for all. */
export async function remember(daemon: Daemon, command: string, answer: 'allow' | 'deny'): Promise<void> {
    const agent = await daemon.paseo('run', '-d', '--permissions', 'ask', `<<sh ${command}>><<say done>>`);
    const open = async () => {
        const list = JSON.parse(await daemon.paseo('permit', 'ls', '--json')) as {
            asks: { hash: string; handle: string }[];
        };
        return list.asks.find(({ handle }) => agent.startsWith(handle))?.hash;
    };
    await expect.poll(open).toBeDefined();
    const yes = answer === 'allow' ? ['--yes'] : [];
    await daemon.paseo('permit', answer, ...yes, '--always', (await open())!);
    await daemon.paseo('wait', agent);
}
