/** How long typing rests before the daemon is asked. */
const REST_MS = 120;

/** What the daemon offers for what was typed last. Without an answer there is nothing to choose from. */
export class Offers<T> {
    list = $state.raw<readonly T[]>([]);
    private turn = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;

    /** Asks once typing rests; an answer that is overtaken is not shown. */
    ask(read: () => Promise<readonly T[]>): void {
        const turn = ++this.turn;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => void this.take(turn, read), REST_MS);
    }

    clear(): void {
        this.turn++;
        clearTimeout(this.timer);
        this.list = [];
    }

    private async take(turn: number, read: () => Promise<readonly T[]>): Promise<void> {
        let list: readonly T[] = [];
        try {
            list = await read();
        } catch {
            // A path that is half typed leads nowhere: it stays as it was typed.
        }
        if (turn === this.turn) this.list = list;
    }
}
