/** A part of the app whose code is loaded when it is first needed. */
export class Lazy<Part> {
    /** The part, once its code is there. */
    part = $state.raw<Part>();
    /** The last attempt failed: the daemon is away, or a newer one has other files. */
    failed = $state(false);
    private loading: Promise<void> | undefined;

    constructor(private readonly code: () => Promise<{ default: Part }>) {}

    /** Loads the code, unless it is there or on its way. Never fails: what failed is tried again by the next call. */
    load(): Promise<void> {
        if (this.part) return Promise.resolve();
        this.loading ??= this.read().finally(() => (this.loading = undefined));
        return this.loading;
    }

    private async read(): Promise<void> {
        this.failed = false;
        // Awaited, not chained: what the build puts around an import fails, too.
        try {
            this.part = (await this.code()).default;
        } catch {
            this.failed = true;
        }
    }
}
