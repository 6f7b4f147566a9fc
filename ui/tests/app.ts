import { test as base, expect, type BrowserContext, type Locator, type Page } from '@playwright/test';
import { Daemon } from './daemon';

/** What a page said that it should not have: errors, warnings, violations of the security policy. */
export class Complaints {
    private readonly heard: string[] = [];
    private readonly allowed: RegExp[] = [];

    async listen(context: BrowserContext): Promise<void> {
        await context.addInitScript(() => {
            document.addEventListener('securitypolicyviolation', (event) => {
                // eslint-disable-next-line no-console
                console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`);
            });
        });
        context.on('console', (message) => {
            if (['error', 'warning'].includes(message.type())) this.heard.push(message.text());
        });
        context.on('weberror', (error) => this.heard.push(String(error.error())));
        context.on('dialog', (dialog) => {
            this.heard.push(`dialog: ${dialog.message()}`);
            void dialog.dismiss();
        });
    }

    /** Some tests break things on purpose, and the browser says so. */
    allow(pattern: RegExp): void {
        this.allowed.push(pattern);
    }

    get list(): string[] {
        return this.heard.filter((text) => !this.allowed.some((pattern) => pattern.test(text)));
    }
}

interface Fixtures {
    daemon: Daemon;
    complaints: Complaints;
    app: App;
}

export const test = base.extend<Fixtures>({
    daemon: async ({}, use) => {
        const daemon = await Daemon.start();
        await use(daemon);
        await daemon.stop();
    },
    complaints: async ({ context }, use) => {
        const complaints = new Complaints();
        await complaints.listen(context);
        await use(complaints);
        expect(complaints.list).toEqual([]);
    },
    /** A page that is logged in. */
    app: async ({ page, daemon, complaints }, use) => {
        void complaints;
        const app = new App(page);
        await app.login(daemon);
        await use(app);
    },
});

/** The web app in the words of those who use it. */
export class App {
    readonly rows: Locator;
    readonly composer: Locator;

    constructor(readonly page: Page) {
        this.rows = page.locator('[data-agent]');
        this.composer = page.getByRole('textbox', { name: /^Message to/ });
    }

    async login(daemon: Daemon): Promise<void> {
        await this.page.goto(await daemon.link());
        await expect(this.page).toHaveURL(/\/app$/);
    }

    row(name: string): Locator {
        return this.rows.filter({ hasText: name });
    }

    /** Opens an agent, and waits until there is something to read. */
    async open(name: string): Promise<void> {
        await this.row(name).click();
        await expect(this.page.getByRole('heading', { level: 1, name })).toBeVisible();
        await expect(this.items().first()).toBeVisible();
    }

    /** Rows of the transcript, all or of one kind. */
    items(kind?: string): Locator {
        return this.page.locator(kind ? `li[data-kind="${kind}"]` : 'li[data-kind]');
    }

    /** What the agent said, in order, without what still grows. */
    answers(): Promise<string[]> {
        return this.items('answer').allInnerTexts();
    }

    async send(text: string, keys = 'Enter'): Promise<void> {
        await this.composer.fill(text);
        await this.composer.press(keys);
    }

    status(): Locator {
        return this.page.getByRole('main').getByRole('status').first();
    }
}

/** Returns a script that says numbered lines, with a pause after each. */
export function count(from: number, to: number, pause: number): string {
    const steps = [];
    for (let at = from; at <= to; at++)
        steps.push(`<<say line ${at}>>${pause > 0 ? `<<wait ${pause}>>` : ''}`);
    return steps.join('');
}

/** Returns a step that waits for the test, rather than the test for it. */
export function gate(name: string): string {
    return `<<sh until [ -e ${name} ]; do sleep 0.02; done>>`;
}

export function lines(from: number, to: number): string[] {
    return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);
}

export { expect };
