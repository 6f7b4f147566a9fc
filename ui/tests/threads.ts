import type { Locator, Page } from '@playwright/test';
import { expect } from './app';
import type { Daemon } from './daemon';

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The threads in the words of those who use them. */
export class ThreadPage {
    readonly messages: Locator;
    readonly composer: Locator;
    readonly will: Locator;
    readonly held: Locator;

    constructor(readonly page: Page) {
        this.messages = page.locator('li[data-kind="message"]');
        this.composer = page.getByRole('textbox', { name: /^Message to/ });
        this.will = page.getByRole('status', { name: 'Will wake' });
        this.held = page.getByRole('list', { name: 'Held replies' }).getByRole('listitem');
    }

    async open(id: string): Promise<void> {
        await this.page.goto(new URL(`/app/threads/${id}`, this.page.url()).href);
        await expect(this.composer).toBeVisible();
    }

    /** Creates a thread, and waits until it is open. Returns its id. */
    async create(name: string, directory: string): Promise<string> {
        const { page } = this;
        await page.getByRole('link', { name: 'Threads', exact: true }).click();
        await page.getByRole('button', { name: 'New thread' }).click();
        const form = page.getByRole('form', { name: 'New thread' });
        await form.getByRole('textbox', { name: 'Name' }).fill(name);
        await form.getByRole('textbox', { name: 'Directory' }).fill(directory);
        await form.getByRole('button', { name: 'Create thread' }).click();
        await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
        return new URL(page.url()).pathname.split('/').at(-1) ?? '';
    }

    /** Invites an agent; without an id, under the one that is suggested. */
    async invite(fields: { id?: string; nickname?: string; roles?: string } = {}): Promise<void> {
        const { page } = this;
        await page.getByRole('button', { name: 'Invite agent' }).first().click();
        const sheet = page.getByRole('dialog', { name: 'Invite an agent' });
        await expect(sheet.getByRole('combobox', { name: 'Client' })).toHaveValue(/./);
        await sheet.getByRole('combobox', { name: 'Client' }).selectOption('scripted');
        const id = sheet.getByRole('textbox', { name: 'Id' });
        await expect(id).toHaveValue(/^scripted/);
        if (fields.id) await id.fill(fields.id);
        if (fields.nickname) await sheet.getByRole('textbox', { name: /^Nickname/ }).fill(fields.nickname);
        if (fields.roles) await sheet.getByRole('textbox', { name: /^Roles/ }).fill(fields.roles);
        await sheet.getByRole('button', { name: 'Invite agent' }).click();
        await expect(sheet).toHaveCount(0);
    }

    /** A participant as it is shown: beside the messages, or in the line above them. */
    participant(id: string): Locator {
        return this.page.locator(`[data-participant="${id}"]`).first();
    }

    /** Shows the participants with what can be done to them. */
    async people(): Promise<Locator> {
        const beside = this.page.getByRole('complementary', { name: 'Participants' });
        if (await beside.isVisible()) return beside;
        const sheet = this.page.getByRole('dialog', { name: 'Participants' });
        if (!(await sheet.isVisible())) await this.page.getByRole('button', { name: 'Participants' }).click();
        await expect(sheet).toBeVisible();
        return sheet;
    }

    /** Closes what lies over the thread. */
    async close(): Promise<void> {
        const sheet = this.page.getByRole('dialog');
        if ((await sheet.count()) > 0) await sheet.getByRole('button', { name: 'Close' }).click();
        await expect(sheet).toHaveCount(0);
    }

    async send(text: string): Promise<void> {
        await this.composer.fill(text);
        await this.page.getByRole('button', { name: 'Send' }).click();
        await expect(this.composer).toHaveValue('');
    }

    /** Notes messages in the order in which they come from now on. */
    async watch(): Promise<() => Promise<string[]>> {
        const came = await this.page.evaluateHandle(() => {
            const came = new Set<string>();
            const look = () => {
                for (const article of document.querySelectorAll('li[data-kind="message"] article'))
                    came.add(
                        article.querySelector('.markdown, p:not(.head, .woken)')?.textContent?.trim() ?? '',
                    );
            };
            new MutationObserver(look).observe(document, {
                childList: true,
                characterData: true,
                subtree: true,
            });
            return came;
        });
        return () => came.evaluate((came) => [...came].filter(Boolean));
    }

    /** What was said, in order. */
    async said(): Promise<string[]> {
        return this.messages
            .locator('article')
            .evaluateAll((all) =>
                all.map(
                    (article) =>
                        article.querySelector('.markdown, p:not(.head, .woken)')?.textContent?.trim() ?? '',
                ),
            );
    }
}

/** A program that speaks the bridge protocol. */
export class Bridge {
    private constructor(
        private readonly url: string,
        private readonly token: string,
    ) {}

    static async join(daemon: Daemon, thread: string, as: string): Promise<Bridge> {
        return new Bridge(
            `${daemon.url}/threads/${thread}`,
            await daemon.paseo('thread', 'token', thread, '--as', as, '-q'),
        );
    }

    async say(content: string): Promise<void> {
        const body = JSON.stringify({ type: 'message', content });
        const response = await fetch(`${this.url}/events`, { method: 'POST', headers: this.headers, body });
        if (!response.ok) throw new Error(await response.text());
    }

    /** Follows the thread. What comes is noted in the order in which it comes, until the thread is left. */
    async follow(): Promise<{ readonly came: readonly string[]; leave: () => void }> {
        const leaving = new AbortController();
        const { signal } = leaving;
        const response = await fetch(`${this.url}/events/stream`, { headers: this.headers, signal });
        if (!response.ok || !response.body) throw new Error(await response.text());
        const came: string[] = [];
        void note(response.body.pipeThrough(new TextDecoderStream()), came).catch((error: unknown) => {
            if (!signal.aborted) came.push(String(error));
        });
        return { came, leave: () => leaving.abort() };
    }

    async present(state: string, details?: string): Promise<void> {
        const body = JSON.stringify({ state, details });
        const response = await fetch(`${this.url}/presence`, { method: 'POST', headers: this.headers, body });
        if (!response.ok) throw new Error(await response.text());
    }

    /** The messages, in order. */
    async said(): Promise<string[]> {
        const response = await fetch(`${this.url}/events`, { headers: this.headers });
        const { events } = (await response.json()) as { events: { type: string; content: string }[] };
        return events.filter(({ type }) => type === 'message').map(({ content }) => content);
    }

    private get headers(): Record<string, string> {
        return { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
    }
}

/** Notes the messages of a stream of events. */
async function note(stream: ReadableStream<string>, came: string[]): Promise<void> {
    const reader = stream.getReader();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const lines = (rest + part.value).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
            if (!line.startsWith('data:')) continue;
            const event = JSON.parse(line.slice('data:'.length)) as { type?: string; content?: string };
            if (event.type === 'message') came.push(event.content ?? '');
        }
    }
}
