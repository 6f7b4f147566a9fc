/** How far from the end still counts as there. */
const CLOSE = 48;

export function isAtEnd(scroller: HTMLElement): boolean {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < CLOSE;
}

/** Remembers what a reader looks at, so that rows can come and go above it. */
export class Anchor {
    private key: string | undefined;
    private top = 0;

    constructor(scroller: HTMLElement) {
        this.moved(scroller);
    }

    /** The reader may have scrolled in the meantime. */
    moved(scroller: HTMLElement): void {
        const edge = scroller.getBoundingClientRect().top;
        for (const row of scroller.querySelectorAll<HTMLElement>('[data-key]')) {
            const { top, bottom } = row.getBoundingClientRect();
            if (bottom <= edge) continue;
            this.key = row.dataset['key'];
            this.top = top;
            return;
        }
    }

    restore(scroller: HTMLElement): void {
        if (!this.key) return;
        const row = scroller.querySelector<HTMLElement>(`[data-key="${CSS.escape(this.key)}"]`);
        if (row) scroller.scrollTop += row.getBoundingClientRect().top - this.top;
    }
}
