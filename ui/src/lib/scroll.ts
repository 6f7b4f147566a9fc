/** How far from the end still counts as there. */
const CLOSE = 48;

export function isAtEnd(scroller: HTMLElement): boolean {
    return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < CLOSE;
}

/** Brings a row into the middle of the view, and the focus with it. */
export function reveal(scroller: HTMLElement, key: string): void {
    const row = scroller.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    row?.scrollIntoView({ block: 'center' });
    row?.focus({ preventScroll: true });
}

/** Does something whenever an element has another size: `{@attach whenResized(act)}`. */
export function whenResized(act: (node: HTMLElement) => void): (node: HTMLElement) => () => void {
    return (node) => {
        const observer = new ResizeObserver(() => act(node));
        observer.observe(node);
        return () => observer.disconnect();
    };
}

/** Remembers what a reader looks at, so that rows can come and go above it. */
export class Anchor {
    /** The rows on the screen, from the top. The first may become part of another. */
    private rows: readonly (readonly [key: string, top: number])[] = [];

    constructor(scroller: HTMLElement) {
        this.moved(scroller);
    }

    /** The reader may have scrolled in the meantime. */
    moved(scroller: HTMLElement): void {
        const edges = scroller.getBoundingClientRect();
        const rows: [string, number][] = [];
        for (const row of scroller.querySelectorAll<HTMLElement>('[data-key]')) {
            const { top, bottom } = row.getBoundingClientRect();
            if (bottom <= edges.top) continue;
            if (top >= edges.bottom) break;
            rows.push([row.dataset['key'] ?? '', top]);
        }
        this.rows = rows;
    }

    restore(scroller: HTMLElement): void {
        for (const [key, before] of this.rows) {
            const row = scroller.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
            if (!row) continue;
            scroller.scrollTop += row.getBoundingClientRect().top - before;
            return;
        }
    }
}
