/**
 * Asks one question at a time. What is wanted meanwhile waits, and only the newest wish is asked next: dragging over a
 * thousand events asks for those at which an answer came.
 */
export class Latest<Wish, Answer> {
    private waiting: { readonly wish: Wish } | undefined;
    private turn = 0;
    private running = false;

    constructor(
        private readonly ask: (wish: Wish) => Promise<Answer>,
        private readonly take: (answer: Answer, isLast: boolean) => void,
        private readonly fail: (error: unknown) => void,
    ) {}

    want(wish: Wish): void {
        this.waiting = { wish };
        if (!this.running) void this.run();
    }

    /** Drops what is wanted, and the answer that is on its way. */
    drop(): void {
        this.waiting = undefined;
        this.turn += 1;
    }

    private async run(): Promise<void> {
        this.running = true;
        while (this.waiting) {
            const { wish } = this.waiting;
            const { turn } = this;
            this.waiting = undefined;
            try {
                const answer = await this.ask(wish);
                if (turn === this.turn) this.take(answer, this.waiting === undefined);
            } catch (error) {
                // A later wish makes up for it.
                if (turn === this.turn && this.waiting === undefined) this.fail(error);
            }
        }
        this.running = false;
    }
}
