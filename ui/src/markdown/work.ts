/** How long the page works at texts before it does something else, in milliseconds. */
const TASK_MS = 20;
/** How long a part of a tree takes to draw, about. */
const PART_MS = 0.02;

/** Something that is done in short steps. Returns whether it is done, and how many parts there are to draw now. */
export type Step = () => { done: boolean; parts: number };

/**
 * Work that the page does in between, for all texts together. What fits into the present task is done at once, so that
 * an ordinary text is there when it is first shown; the rest follows in tasks of its own, in order.
 */
class Work {
    private readonly waiting = new Set<Step>();
    private spent = 0;
    private scheduled = false;

    /** Begins something. Returns what takes it back. */
    begin(step: Step): () => void {
        if (this.waiting.size > 0 || this.spent >= TASK_MS || !this.run(step)) this.waiting.add(step);
        this.schedule();
        return () => void this.waiting.delete(step);
    }

    private run(step: Step): boolean {
        const start = performance.now();
        const { done, parts } = step();
        this.spent += performance.now() - start + parts * PART_MS;
        return done;
    }

    private schedule(): void {
        if (this.scheduled) return;
        this.scheduled = true;
        setTimeout(() => {
            this.scheduled = false;
            this.spent = 0;
            for (const step of this.waiting) {
                if (this.spent >= TASK_MS) break;
                if (this.run(step)) this.waiting.delete(step);
            }
            if (this.waiting.size > 0) this.schedule();
        });
    }
}

export const work = new Work();
