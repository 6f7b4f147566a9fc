import {
    test as base,
    expect,
    type BrowserContext,
    type BrowserContextOptions,
    type Locator,
    type Page,
} from '@playwright/test';
import { Daemon } from './daemon';

/** What a page said that it should not have: errors, warnings, violations of the security policy. */
export class Complaints {
    private readonly heard: string[] = [];
    private readonly allowed: RegExp[] = [/^Service Worker registration blocked by Playwright/];

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

    /** Violations of the security policy are never allowed. */
    get list(): string[] {
        return this.heard.filter(
            (text) => text.startsWith('policy:') || !this.allowed.some((pattern) => pattern.test(text)),
        );
    }
}

interface Fixtures {
    daemon: Daemon;
    complaints: Complaints;
    app: App;
    /** Opens another browser, which nobody knows yet. */
    stranger: (options?: BrowserContextOptions) => Promise<Page>;
    /** Opens another browser and logs it in. */
    another: (options?: BrowserContextOptions) => Promise<App>;
}

export const test = base.extend<Fixtures>({
    daemon: async ({}, use) => {
        const daemon = await Daemon.start();
        await use(daemon);
        await daemon.stop();
    },
    /** Listens in every test, also in those that do not ask for it. */
    complaints: [
        async ({ context, daemon }, use) => {
            // Asks for the daemon, to be asked before it ends: a page may complain about its absence.
            void daemon;
            const complaints = new Complaints();
            await complaints.listen(context);
            await use(complaints);
            expect(complaints.list).toEqual([]);
        },
        { auto: true },
    ],
    /** A page that is logged in. */
    app: async ({ page, daemon, complaints }, use) => {
        void complaints;
        const app = new App(page);
        await app.login(daemon);
        await use(app);
    },
    stranger: async ({ browser, complaints }, use) => {
        const contexts: BrowserContext[] = [];
        await use(async (options) => {
            const context = await browser.newContext({ serviceWorkers: 'block', ...options });
            contexts.push(context);
            // What it complains about counts like what the first one does.
            await complaints.listen(context);
            return context.newPage();
        });
        for (const context of contexts) await context.close();
    },
    another: async ({ stranger, daemon }, use) => {
        await use(async (options) => {
            const app = new App(await stranger(options));
            await app.login(daemon);
            return app;
        });
    },
});

/**
 * Returns tests that share one daemon, and what was made there before them: for those that look, and change nothing that
 * another one looks at. Use it in files whose tests run in order.
 */
export function sharing(seed: (daemon: Daemon) => Promise<void>) {
    return test.extend<object, { world: Daemon }>({
        world: [
            async ({}, use) => {
                const daemon = await Daemon.start();
                await seed(daemon);
                await use(daemon);
                await daemon.stop();
            },
            { scope: 'worker', timeout: 120_000 },
        ],
        daemon: async ({ world }, use) => use(world),
    });
}

/** Returns tests that each have a daemon of their own, and what was made there: what one looks at, no other one saw. */
export function seeded(seed: (daemon: Daemon) => Promise<void>) {
    return test.extend<object>({
        daemon: async ({}, use) => {
            const daemon = await Daemon.start();
            await seed(daemon);
            await use(daemon);
            await daemon.stop();
        },
    });
}

/** The web app in the words of those who use it. */
export class App {
    readonly rows: Locator;
    readonly composer: Locator;
    /** Messages that wait for the agent that is open, in order. */
    readonly queued: Locator;

    constructor(readonly page: Page) {
        this.rows = page.locator('[data-agent]');
        this.queued = page.getByRole('region', { name: 'Queue' }).locator('li[data-delivery]');
        this.composer = page.getByRole('textbox', { name: /^Message to/ });
    }

    /** Logs in, which leads to the inbox, and goes to the list of agents. */
    async login(daemon: Daemon): Promise<void> {
        await this.page.goto(await daemon.link());
        await expect(this.page).toHaveURL(/\/app$/);
        await this.agents();
    }

    /** Goes to the list of agents. */
    async agents(): Promise<void> {
        await this.page.getByRole('link', { name: 'Agents', exact: true }).click();
        await expect(this.page).toHaveURL(/\/app\/agents$/);
        await expect(this.page.getByRole('heading', { name: 'Agents', exact: true })).toBeVisible();
    }

    /** Goes to what needs a person. */
    async inbox(): Promise<void> {
        await this.page.getByRole('link', { name: /^Inbox/ }).click();
        await expect(this.page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
    }

    row(name: string): Locator {
        return this.rows.filter({ has: this.page.locator('.name', { hasText: name }) });
    }

    /** Opens the menu of an agent and chooses something there. */
    async choose(name: string, action: string): Promise<void> {
        await this.menu(name);
        await this.page.getByRole('menuitem', { name: action }).click();
    }

    /** Opens the menu of an agent. */
    async menu(name: string): Promise<Locator> {
        await this.row(name).hover();
        await this.page.getByRole('button', { name: `Actions for ${name}` }).click();
        const menu = this.page.getByRole('menu', { name });
        await expect(menu).toBeVisible();
        return menu;
    }

    /** Does what the header of the agent offers: by its button, or by the menu where there is no room for that. */
    async inHeader(action: string): Promise<void> {
        const menu = this.page.getByRole('button', { name: 'Actions for this agent' });
        await expect(menu).toBeVisible();
        const button = this.page.getByRole('button', { name: action, exact: true });
        if (await button.isVisible()) return button.click();
        await menu.click();
        await this.page.getByRole('menuitem', { name: action, exact: true }).click();
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

/**
 * Clicks a button that takes input only after it has been still for a while. Playwright would scroll to and fro while it
 * waits for such a button, and what moves starts its wait again.
 */
export async function press(button: Locator): Promise<void> {
    await button.scrollIntoViewIfNeeded();
    await expect(button).toBeEnabled();
    await button.click();
}

export { expect };
export { expectAccessible } from './axe';
