/** The daemon's clock, as of an answer, continued by the browser's monotonic clock, which no one can set. */
export class Lag {
    private base = 0;
    private at = 0;

    /** Takes what an answer said that time it is, at a reading of the steady clock. */
    take(now: string, steady: number): void {
        this.base = Date.parse(now);
        this.at = steady;
    }

    /** Returns the daemon's time at a reading of the steady clock. */
    now(steady: number): number {
        return this.base + (steady - this.at);
    }
}
