/** How many times as long as a reading took the reader rests: a daemon that is busy is asked a fifth of the time. */
const REST = 4;
/**
 * The longest such rest. When the machine is under load, a reading takes seconds; without a limit the page would show what
 * is long over for four times as long. What was asked for is never later than this and the reading itself.
 */
export const LONGEST_REST_MS = 2000;

/** Returns how long to rest after a reading. The least that was asked for counts even if it is longer than the longest. */
export function restAfter(tookMs: number, leastMs: number): number {
    return Math.max(leastMs, Math.min(tookMs * REST, LONGEST_REST_MS));
}

/**
 * Reads something again whenever it may have changed. Calls that come while it is read are one more reading; between two
 * there is a pause, as agents at work bring many events.
 */
export class Reader {
    private reading = false;
    private stale = false;
    private ended = false;
    private wake = () => {};

    constructor(
        private readonly once: () => Promise<void>,
        /** The shortest pause. It may depend on how the last reading went. */
        private readonly leastMs: () => number,
    ) {}

    readonly read = (): void => {
        this.stale = true;
        if (!this.reading) void this.readAll();
    };

    /** Reads without a rest: a person did something, and looks for what comes of it. */
    readNow(): void {
        this.read();
        this.wake();
    }

    /** Reads no more. */
    end(): void {
        this.ended = true;
    }

    private async readAll(): Promise<void> {
        this.reading = true;
        while (this.stale && !this.ended) {
            this.stale = false;
            const began = performance.now();
            await this.once();
            const rest = restAfter(performance.now() - began, this.leastMs());
            await new Promise<void>((resolve) => {
                this.wake = resolve;
                setTimeout(resolve, rest);
            });
        }
        this.reading = false;
    }
}
