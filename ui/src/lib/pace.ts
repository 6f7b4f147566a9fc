/** How long the page rests between two batches, in milliseconds: ten a second look steady, and cost what ten cost. */
export const GAP_MS = 100;

/** What a pace needs of a page. */
export interface Beats {
    now(): number;
    /** Calls back after so many milliseconds. */
    after(wait: number, act: () => void): void;
    /** No one sees the page, so nothing is drawn, and browsers delay its timers by up to a minute. */
    hidden(): boolean;
}

const BEATS: Beats = {
    now: () => performance.now(),
    after: (wait, act) => void setTimeout(act, wait),
    hidden: () => document.hidden,
};

/**
 * Takes in what comes from the daemon in batches: what comes alone at once, what comes many times a second together, so
 * that the page is not drawn anew for each of it. Nothing is left out, and nothing overtakes.
 */
export class Pace<Each> {
    private waiting: Each[] = [];
    private isDue = false;
    private last = -Infinity;

    constructor(
        private readonly act: (each: Each) => void,
        private readonly beats: Beats = BEATS,
    ) {}

    take(each: Each): void {
        this.waiting.push(each);
        if (this.beats.hidden()) this.flush();
        else this.plan();
    }

    /** Takes in what waits, for example before everything is read again: what comes later would be older. */
    readonly flush = (): void => {
        this.isDue = false;
        this.last = this.beats.now();
        try {
            for (let each = this.waiting.shift(); each !== undefined; each = this.waiting.shift())
                this.act(each);
        } finally {
            // What came after something that failed is not lost with it.
            if (this.waiting.length > 0) this.plan();
        }
    };

    private plan(): void {
        if (this.isDue) return;
        this.isDue = true;
        // What arrives together is one batch, also the first.
        this.beats.after(Math.max(0, this.last + GAP_MS - this.beats.now()), () => {
            if (this.isDue) this.flush();
        });
    }
}
