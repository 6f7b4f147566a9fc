import type { Locator, Page, Request } from '@playwright/test';
import { expect } from './app';

/** A name that tries to be more than text. */
export const HOSTILE = '<img src=x onerror=alert(1)>\u202egnp.exe';

/** Returns the requests of a page that would change something. */
export function writes(page: Page): string[] {
    const found: string[] = [];
    page.on('request', (request: Request) => {
        const { pathname } = new URL(request.url());
        // Whom a message would wake is only asked.
        if (request.method() === 'GET' || pathname.endsWith('/wakes')) return;
        if (/^\/api\/(teams|threads|workers)/.test(pathname)) found.push(`${request.method()} ${pathname}`);
    });
    return found;
}

/** The controls of a page's history in the words of those who use them. */
export class History {
    readonly controls: Locator;
    readonly slider: Locator;
    readonly back: Locator;
    /** What happened between then and now. */
    readonly since: Locator;

    constructor(readonly page: Page) {
        this.controls = page.getByRole('region', { name: 'History' });
        this.slider = this.controls.getByRole('slider', { name: 'Point in history' });
        this.back = this.controls.getByRole('button', { name: 'Back to now' });
        this.since = this.controls
            .getByRole('list', { name: 'What happened between then and now' })
            .getByRole('listitem');
    }

    async open(): Promise<void> {
        await this.page.getByRole('button', { name: 'History', exact: true }).click();
        await expect(this.slider).toBeFocused();
        await expect(this.back).toBeDisabled();
    }

    /** Goes to the state after an event. */
    async goTo(version: number): Promise<void> {
        await this.slider.fill(String(version));
        await this.expectAt(version);
    }

    async step(by: 'Previous' | 'Next'): Promise<void> {
        await this.controls.getByRole('button', { name: `${by} event` }).click();
    }

    /** Enters a time, to the second. */
    async enter(moment: Date): Promise<void> {
        await this.controls.getByRole('button', { name: 'Go to…' }).click();
        const form = this.page.getByRole('dialog', { name: 'Go to a time' });
        const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000);
        await form.getByLabel('Time').fill(local.toISOString().slice(0, 19));
        await form.getByRole('button', { name: 'Go', exact: true }).click();
    }

    /** Expects that the page has the state after an event. */
    async expectAt(version: number): Promise<void> {
        await expect(this.slider).toHaveValue(String(version));
        await expect(this.controls).toContainText(/As it was at .*event/);
        await expect(this.controls).toHaveAttribute('aria-busy', 'false');
        await expect(this.controls).toContainText(`event ${version} of`);
    }

    async expectNow(): Promise<void> {
        await expect(this.controls).toContainText('Now');
        await expect(this.controls).not.toContainText('As it was');
        await expect(this.back).toBeDisabled();
    }

    async showSince(): Promise<void> {
        await this.controls.getByRole('button', { name: /^Since then/ }).click();
    }
}
