import { PaseoError } from '@paseo/client';
import { SvelteMap } from 'svelte/reactivity';
import { effectOf } from '../../lib/change';
import { api, explain } from '../../lib/client';
import type { EventFrame, QueuedMessage } from '../../lib/wire';
import { release } from '../again';
import { moveOf, rowsOf, type Direction } from './waiting';

/** A text that a person is about to give a message. */
export interface Edit {
    readonly message: QueuedMessage;
    text: string;
}

interface Path {
    readonly id: string;
    readonly delivery: string;
}

/** What is wrong with a message that a person was about to change. */
interface Refusal {
    readonly message: QueuedMessage;
    readonly words: string;
}

/** The messages that wait for one agent, as the daemon has them. */
export class Queue {
    messages = $state.raw<readonly QueuedMessage[]>([]);
    /** Why it could not be read. */
    problem = $state('');
    edit = $state<Edit>();
    /** Long texts that a person wanted to see all of. */
    readonly wholes = new SvelteMap<string, string>();
    private readonly refusals = new SvelteMap<string, Refusal>();
    private reading: Promise<void> | undefined;
    /** Something changed while it was read. */
    private stale = false;
    /** Every message that was listed: one that is not listed any more was taken up, or canceled. */
    private readonly listed = new Set<string>();

    readonly rows = $derived.by(() => {
        const kept = [...this.refusals.values()].map(({ message }) => message);
        const { edit } = this;
        if (edit && !this.refusals.has(edit.message.delivery)) kept.push(edit.message);
        return rowsOf(this.messages, kept);
    });
    readonly deliveries = $derived(new Set(this.messages.map(({ delivery }) => delivery)));
    readonly releasable = $derived(this.messages.some((message) => message.releasable));

    constructor(readonly session: string) {}

    /** Reads it, once more if it changed meanwhile: the answer that stays is the newest. */
    read(): Promise<void> {
        this.stale = true;
        this.reading ??= this.readAll().finally(() => (this.reading = undefined));
        return this.reading;
    }

    /** Takes in what happened to an agent. */
    take({ session, change }: EventFrame): void {
        if (session !== this.session || !effectOf(change).queue) return;
        if (change.type === 'message_edited') this.wholes.delete(change.delivery);
        void this.read();
    }

    /** Says whether a message was in the queue and left it. */
    passed(delivery: string): boolean {
        return this.listed.has(delivery) && !this.deliveries.has(delivery);
    }

    refusal(delivery: string): string | undefined {
        return this.refusals.get(delivery)?.words;
    }

    /** The person has read why it was refused. */
    dismiss(delivery: string): void {
        this.refusals.delete(delivery);
    }

    /** Shows all of the text of a message. */
    unfold(message: QueuedMessage): Promise<boolean> {
        return this.attempt(message, async (path) => {
            this.wholes.set(message.delivery, await whole(path));
        });
    }

    /** Begins to edit a message with all of its text. */
    begin(message: QueuedMessage): Promise<boolean> {
        return this.attempt(message, async (path) => {
            this.edit = { message, text: await whole(path) };
        });
    }

    /** Replaces the text of a message. One that is refused stays in the field. */
    save({ message, text }: Edit): Promise<boolean> {
        return this.attempt(message, async (path) => {
            await api.patch('/api/sessions/{id}/queue/{delivery}', { path, body: { text } });
            this.edit = undefined;
        });
    }

    cancel(message: QueuedMessage): Promise<boolean> {
        return this.attempt(message, async (path) => {
            await api.delete('/api/sessions/{id}/queue/{delivery}', { path });
        });
    }

    move(message: QueuedMessage, direction: Direction): Promise<boolean> {
        const body = moveOf(this.messages, message.delivery, direction);
        if (!body) return Promise.resolve(false);
        return this.attempt(message, async (path) => {
            await api.post('/api/sessions/{id}/queue/{delivery}/move', { path, body });
        });
    }

    release(message: QueuedMessage): Promise<boolean> {
        return this.attempt(message, async (path) => {
            await api.post('/api/sessions/{id}/queue/{delivery}/release', { path });
        });
    }

    /** Lets the agent go on with everything that waits. Returns why that was refused. */
    async releaseAll(): Promise<string | undefined> {
        try {
            await release(this.session);
            return undefined;
        } catch (error) {
            return explain(error);
        } finally {
            await this.read();
        }
    }

    /** Does something with a message and reads the queue again. What was said against it is said at its row. */
    private async attempt(message: QueuedMessage, act: (path: Path) => Promise<void>): Promise<boolean> {
        const { delivery } = message;
        this.refusals.delete(delivery);
        let done = true;
        try {
            await act({ id: this.session, delivery });
        } catch (error) {
            const lost = error instanceof PaseoError && error.status === 404;
            const words = lost ? 'the message is no longer in the queue' : explain(error);
            this.refusals.set(delivery, { message, words });
            done = false;
        }
        await this.read();
        return done;
    }

    private async readAll(): Promise<void> {
        while (this.stale) {
            this.stale = false;
            try {
                const { messages } = await api.get('/api/sessions/{id}/queue', {
                    path: { id: this.session },
                });
                for (const { delivery } of messages) this.listed.add(delivery);
                // What is the same changes nothing on the page.
                if (JSON.stringify(messages) !== JSON.stringify(this.messages)) this.messages = messages;
                this.problem = '';
            } catch (error) {
                this.problem = explain(error);
            }
        }
    }
}

async function whole(path: Path): Promise<string> {
    // The client has nothing to return for an empty answer.
    return (await api.get('/api/sessions/{id}/queue/{delivery}/text', { path })) ?? '';
}
