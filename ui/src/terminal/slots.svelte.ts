import { liveOf, type Ranked } from './ranking';

interface Shown extends Ranked {
    readonly tile: Kept;
    readonly element: Element;
}

/** What is asked of a terminal for its rank. */
interface Kept {
    readonly kept: boolean;
}

/**
 * Which of a page's terminals are live. A browser draws a dozen without effort, and the daemon has limits for each device;
 * others show what they show every few seconds.
 */
class Slots {
    /** The terminals in view, in the order of the page. */
    private shown = $state.raw<readonly Shown[]>([]);
    private asks = 0;
    private readonly live = $derived(
        new Set([...liveOf(this.shown.map((each) => ranked(each)))].map(({ tile }) => tile)),
    );

    has(tile: Kept): boolean {
        return this.live.has(tile);
    }

    /** A terminal came into view. */
    enter(tile: Kept, element: Element): void {
        if (this.shown.some((each) => each.tile === tile)) return;
        const all = [...this.shown, { tile, element, kept: false, asked: 0 }];
        this.shown = all.sort((one, other) => place(one.element, other.element));
    }

    leave(tile: Kept): void {
        if (this.shown.some((each) => each.tile === tile))
            this.shown = this.shown.filter((each) => each.tile !== tile);
    }

    /** Makes a terminal live, in place of another if there is no slot left. */
    ask(tile: Kept): void {
        this.asks += 1;
        const asked = this.asks;
        this.shown = this.shown.map((each) => (each.tile === tile ? { ...each, asked } : each));
    }
}

function ranked({ tile, element, asked }: Shown): Shown {
    return { tile, element, asked, kept: tile.kept };
}

function place(one: Element, other: Element): number {
    return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

export const slots = new Slots();
