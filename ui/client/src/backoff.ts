import { isTransient } from './error.js';

export interface BackoffOptions {
    /** The first pause, in milliseconds. Each is twice as long as the one before. */
    readonly first?: number;
    readonly longest?: number;
    /** How long all pauses together may be; by default there is no end. */
    readonly patience?: number;
    /** Between 0 and 1: clients that lost the same daemon must not all return at the same moment. */
    readonly random?: () => number;
}

/** Growing pauses between attempts, which can be cut short. */
export class Backoff {
    private pause: number;
    private left: number;
    private wake: (() => void) | undefined;
    private readonly first: number;
    private readonly longest: number;
    private readonly patience: number;
    private readonly random: () => number;

    constructor(options: BackoffOptions = {}) {
        this.first = options.first ?? 500;
        this.longest = options.longest ?? 8_000;
        this.patience = options.patience ?? Number.POSITIVE_INFINITY;
        this.random = options.random ?? Math.random;
        this.pause = this.first;
        this.left = this.patience;
    }

    /** Waits for the next attempt. Returns false, at once, when the patience is used up. */
    async wait(signal?: AbortSignal): Promise<boolean> {
        signal?.throwIfAborted();
        const pause = this.pause * (0.75 + this.random() / 2);
        if (pause > this.left) return false;
        this.left -= pause;
        this.pause = Math.min(this.pause * 2, this.longest);
        await new Promise<void>((resolve) => {
            const done = () => {
                clearTimeout(timer);
                signal?.removeEventListener('abort', done);
                this.wake = undefined;
                resolve();
            };
            const timer = setTimeout(done, pause);
            signal?.addEventListener('abort', done);
            this.wake = done;
        });
        signal?.throwIfAborted();
        return true;
    }

    /** Ends the current pause: there is reason to believe that it works now. */
    hurry(): void {
        this.wake?.();
    }

    /** Begins with the short pauses again, after a success. */
    reset(): void {
        this.pause = this.first;
        this.left = this.patience;
    }
}

export interface RetryOptions {
    readonly backoff?: Backoff | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Which errors pass; by default an unreachable daemon and the statuses 502 to 504. */
    readonly when?: ((error: unknown) => boolean) | undefined;
}

/** Repeats a request until it succeeds, is refused, or the patience ends. Only for what may arrive twice. */
export async function retried<T>(attempt: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
    const { backoff = new Backoff({ patience: 60_000 }), signal, when = isTransient } = options;
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            if (signal?.aborted || !when(error) || !(await backoff.wait(signal))) throw error;
        }
    }
}

/** Returns a new idempotency key. */
export function newKey(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
