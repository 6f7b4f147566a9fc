/** Returns how long a lease lasts still, as short as it is clear. */
export function leftWords(ms: number): string {
    if (ms <= 0) return 'expired';
    const seconds = Math.ceil(ms / 1000);
    const two = (number: number) => String(number).padStart(2, '0');
    if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
}

/** The daemon's clock, as of an answer, carried on by a clock that nobody sets. */
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
