import { ApiError, explain, post } from './client';
import type { Attachment, Receipt, Verb } from './wire';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

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
    private waiting = new Set<() => void>();
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
        for (const wake of this.waiting) wake();
    };

    retry(message: Outgoing): void {
        const again: Outgoing = { ...message, state: 'sending' };
        this.replace(again);
        void this.deliver(again);
    }

    discard(message: Outgoing): void {
        this.all = this.all.filter((other) => other.key !== message.key);
    }

    /** Forgets what became of a delivery: it is in the transcript, or never will be. */
    settle(delivery: string): void {
        if (!delivery || this.settled.has(delivery)) return;
        this.settled.add(delivery);
        if (this.all.some((message) => message.receipt?.delivery === delivery))
            this.all = this.all.filter((message) => message.receipt?.delivery !== delivery);
    }

    private async deliver(message: Outgoing): Promise<void> {
        const { key, session, text, verb } = message;
        const attachments = message.attachments.map((file) => file.id);
        for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
            try {
                const body = { text, verb, attachments };
                const receipt = await post<Receipt>(`/api/sessions/${session}/messages`, body, key);
                if (!receipt || this.settled.has(receipt.delivery)) this.discard(message);
                else this.replace({ ...message, state: 'accepted', receipt });
                return;
            } catch (error) {
                if (error instanceof ApiError && !error.passing) {
                    this.replace({ ...message, state: 'refused', problem: explain(error) });
                    return;
                }
            }
            await this.sleep(pause);
        }
    }

    private replace(message: Outgoing): void {
        this.all = this.all.map((other) => (other.key === message.key ? message : other));
    }

    private async sleep(ms: number): Promise<void> {
        let wake = () => {};
        await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, ms);
            wake = () => {
                clearTimeout(timer);
                resolve();
            };
            this.waiting.add(wake);
        });
        this.waiting.delete(wake);
    }
}

function newKey(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
