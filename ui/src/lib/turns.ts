import { flushSync } from 'svelte';

/** How long things are drawn in one frame, in milliseconds: a click in between is still answered at once. */
export const BUDGET_MS = 24;

/** What turns need of a page. */
export interface Frames {
    now(): number;
    /** Calls back when the next frame is drawn. */
    next(act: () => void): void;
    /** Makes what was decided visible in the document. */
    flush(): void;
}

const FRAMES: Frames = {
    now: () => performance.now(),
    next: (act) => void requestAnimationFrame(act),
    flush: () => flushSync(),
};

/**
 * The parts of a long list take turns: as many are drawn in a frame as there is time for, in the order in which they
 * came, except that what a person sees goes first. Few parts are all drawn at once.
 */
export class Turns {
    private readonly waiting = new Map<object, () => void>();
    private readonly urgent = new Set<object>();
    /** When the time of this frame is over. */
    private until: number | undefined;

    constructor(private readonly frames: Frames = FRAMES) {}

    /** Says whether a part can be drawn without waiting: none overtakes those that wait. */
    get free(): boolean {
        const until = this.begin();
        return this.waiting.size === 0 && this.frames.now() < until;
    }

    /** Waits for a turn. Returns a function that ends the waiting. */
    wait(part: object, draw: () => void): () => void {
        this.waiting.set(part, draw);
        this.begin();
        return () => {
            this.waiting.delete(part);
            this.urgent.delete(part);
        };
    }

    /** Lets a part go before those that are not seen, or no longer. */
    prefer(part: object, preferred: boolean): void {
        if (preferred && this.waiting.has(part)) this.urgent.add(part);
        else this.urgent.delete(part);
    }

    /** Draws a part now if it waits. */
    draw(part: object): void {
        const draw = this.waiting.get(part);
        this.waiting.delete(part);
        this.urgent.delete(part);
        if (!draw) return;
        draw();
        this.frames.flush();
    }

    private begin(): number {
        if (this.until === undefined) {
            this.until = this.frames.now() + BUDGET_MS;
            this.frames.next(this.frame);
        }
        return this.until;
    }

    private readonly frame = (): void => {
        this.until = undefined;
        while (this.waiting.size > 0) {
            const until = this.begin();
            const [part] = this.urgent.size > 0 ? this.urgent : this.waiting.keys();
            if (part) this.draw(part);
            if (this.frames.now() >= until) return;
        }
    };
}

export const turns = new Turns();
