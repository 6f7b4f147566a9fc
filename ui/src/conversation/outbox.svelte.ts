import { Backoff, newKey } from '@paseo/client';
import { api, explain } from '../lib/client';
import type { Attachment, Receipt, Verb } from '../lib/wire';

/** A message that is on its way into the transcript. */
export interface Outgoing {
    /** Repeating the request with this key sends nothing twice. */
    readonly key: string;
    readonly session: string;
    readonly text: string;
    readonly verb: Verb;
    readonly attachments: readonly Attachment[];
    readonly state: 'sending' | 'accepted' | 'refused';
    readonly receipt?: Receipt;
    readonly problem?: string;
}

/** Messages that were written here and are not in the transcript yet. */
export class Outbox {
    private all = $state.raw<readonly Outgoing[]>([]);
    /** The pauses of those that wait for the network. */
    private waiting = new Set<Backoff>();
    /** Deliveries that need not be shown; the transcript may be faster than the receipt. */
    private settled = new Set<string>();

    of(session: string): readonly Outgoing[] {
        return this.all.filter((message) => message.session === session);
    }

    send(session: string, text: string, verb: Verb, attachments: readonly Attachment[] = []): void {
        const message: Outgoing = { key: newKey(), session, text, verb, attachments, state: 'sending' };
        this.all = [...this.all, message];
        void this.deliver(message);
    }

    /** Tries again now what waits for the network. */
    readonly hurry = (): void => {
        for (const backoff of this.waiting) backoff.hurry();
    };

    retry(message: Outgoing): void {
        const again: Outgoing = { ...message, state: 'sending' };
        this.replace(again);
        void this.deliver(again);
    }

    discard(message: Outgoing): void {
        this.all = this.all.filter((other) => other.key !== message.key);
    }

    /** Forgets the outcome of a delivery: it is in the transcript, or never will be. */
    settle(delivery: string): void {
        if (!delivery || this.settled.has(delivery)) return;
        this.settled.add(delivery);
        if (this.all.some((message) => message.receipt?.delivery === delivery))
            this.all = this.all.filter((message) => message.receipt?.delivery !== delivery);
    }

    private async deliver(message: Outgoing): Promise<void> {
        const { key, session, text, verb } = message;
        const attachments = message.attachments.map((file) => file.id);
        const backoff = new Backoff();
        this.waiting.add(backoff);
        try {
            const receipt = await api.send(session, { text, verb, attachments }, { key, backoff });
            if (this.settled.has(receipt.delivery)) this.discard(message);
            else this.replace({ ...message, state: 'accepted', receipt });
        } catch (error) {
            this.replace({ ...message, state: 'refused', problem: explain(error) });
        } finally {
            this.waiting.delete(backoff);
        }
    }

    private replace(message: Outgoing): void {
        this.all = this.all.map((other) => (other.key === message.key ? message : other));
    }
}
