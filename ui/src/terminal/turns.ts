/** How many terminals are written to between two frames of the page. */
export const TOGETHER = 3;
/** A page that is not drawn has no frames: after so many milliseconds the next ones have their turn all the same. */
const PATIENCE_MS = 500;

/** What is to be written to a terminal. */
type Write = () => void;

/**
 * Terminals of a page, one after the other.
 *
 * Each terminal that was written to is drawn with the next frame. A dozen that print without end would all be drawn with
 * each frame, and the page would answer nobody meanwhile. So only some have their turn in a frame, those that wait
 * longest; all that came for them meanwhile is drawn at once.
 */
export class Turns<Terminal extends object> {
    private readonly written = new Set<Terminal>();
    private readonly waiting = new Map<Terminal, Write[]>();
    private isPlanned = false;

    constructor(private readonly next: (act: () => void) => void = nextFrame) {}

    /** Writes when it is the terminal's turn: often at once. What is `urgent` is written now, after what waits before it. */
    take(terminal: Terminal, write: Write, urgent: boolean): void {
        const before = this.waiting.get(terminal) ?? [];
        this.waiting.set(terminal, [...before, write]);
        const hasTurn = before.length === 0 && (this.written.has(terminal) || this.written.size < TOGETHER);
        if (urgent || hasTurn) this.flush(terminal);
        this.plan();
    }

    /** Writes all that waits for a terminal now. */
    flush(terminal: Terminal): void {
        const writes = this.waiting.get(terminal) ?? [];
        this.waiting.delete(terminal);
        if (writes.length > 0) this.written.add(terminal);
        for (const write of writes) write();
    }

    private plan(): void {
        if (this.isPlanned) return;
        this.isPlanned = true;
        this.next(() => {
            this.isPlanned = false;
            this.written.clear();
            for (const terminal of [...this.waiting.keys()].slice(0, TOGETHER)) this.flush(terminal);
            if (this.written.size > 0) this.plan();
        });
    }
}

/** Calls back with the next frame, or after a while when the page is not drawn. */
function nextFrame(act: () => void): void {
    const once = (): void => {
        cancelAnimationFrame(frame);
        clearTimeout(late);
        act();
    };
    const frame = requestAnimationFrame(once);
    const late = setTimeout(once, PATIENCE_MS);
}
