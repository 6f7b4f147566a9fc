/**
 * Reads something again whenever it may have changed. Calls that come while it is read are one more reading; between two
 * there is a pause, as agents at work bring many events.
 */
export class Reader {
    private reading = false;
    private stale = false;
    private ended = false;

    constructor(
        private readonly once: () => Promise<void>,
        private readonly pauseMs = 250,
    ) {}

    readonly read = (): void => {
        this.stale = true;
        if (!this.reading) void this.readAll();
    };

    /** Reads no more. */
    end(): void {
        this.ended = true;
    }

    private async readAll(): Promise<void> {
        this.reading = true;
        while (this.stale && !this.ended) {
            this.stale = false;
            await this.once();
            await new Promise((resolve) => setTimeout(resolve, this.pauseMs));
        }
        this.reading = false;
    }
}
