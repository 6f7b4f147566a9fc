/** How many terminals of one page are live at once. */
export const MOST_LIVE = 12;

/**
 * The places of a page's live terminals, first come, first served. A browser draws a dozen without effort, and the daemon
 * has limits for each device; others show what they show every few seconds.
 */
class Slots {
    private taken = $state.raw<readonly object[]>([]);

    has(tile: object): boolean {
        return this.taken.indexOf(tile) >= 0 && this.taken.indexOf(tile) < MOST_LIVE;
    }

    enter(tile: object): void {
        if (!this.taken.includes(tile)) this.taken = [...this.taken, tile];
    }

    leave(tile: object): void {
        if (this.taken.includes(tile)) this.taken = this.taken.filter((other) => other !== tile);
    }
}

export const slots = new Slots();
