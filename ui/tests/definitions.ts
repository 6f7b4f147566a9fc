import type { Locator } from '@playwright/test';
import { expect, type App } from './app';

export const READS = "provider = 'scripted'\ntools = ['read']\n";
export const WRITES = "provider = 'scripted'\ntools = ['read', 'edit']\n";
export const EVIL = '<img src=x onerror=alert(1)><script>alert(2)</script>';

export const MAY_READ = { tools: ['native_read', 'todo'], waiting: 0 };
export const MAY_WRITE = { tools: ['native_read', 'native_write', 'todo'], waiting: 0 };

/** The pages about definitions in the words of those who use them. */
export class Pages {
    readonly main: Locator;
    readonly save: Locator;
    readonly trust: Locator;
    /** Leads to the list, in the settings. */
    readonly link: Locator;

    constructor(readonly app: App) {
        this.main = app.page.getByRole('main');
        this.save = this.main.getByRole('button', { name: 'Save', exact: true });
        this.link = app.page.getByRole('link', { name: /^Definitions/ });
        this.trust = this.main.getByRole('button', { name: /^Trust version [0-9a-f]{12}$/ });
    }

    row(slug: string): Locator {
        return this.main.locator(`[data-definition="${slug}"]`);
    }

    text(slug: string): Locator {
        return this.main.getByRole('textbox', { name: `Definition of ${slug}` });
    }

    /** Goes to the list of them. */
    async list(): Promise<void> {
        await this.app.page.getByRole('link', { name: /^Settings/ }).click();
        await expect(this.main.getByRole('heading', { level: 1, name: 'Settings' })).toBeFocused();
        await this.link.click();
        await expect(this.main.getByRole('heading', { level: 1, name: 'Definitions' })).toBeFocused();
    }

    /** Opens one from the list. */
    async open(slug: string): Promise<void> {
        await this.list();
        await this.row(slug).click();
        await expect(this.main.getByRole('heading', { level: 1, name: slug })).toBeFocused();
    }
}
