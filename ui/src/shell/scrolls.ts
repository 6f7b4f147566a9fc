/** Most entries of the history whose positions are kept. */
export const MOST = 100;

/** Where the scrolling parts of pages were, by entry of the history. */
export class Scrolls {
    private readonly entries = new Map<string, Map<string, number>>();

    note(entry: string, part: string, top: number): void {
        const parts = this.entries.get(entry) ?? new Map<string, number>();
        parts.set(part, top);
        // The newest last.
        this.entries.delete(entry);
        this.entries.set(entry, parts);
        const [oldest] = this.entries.keys();
        if (this.entries.size > MOST && oldest !== undefined) this.entries.delete(oldest);
    }

    of(entry: string): ReadonlyMap<string, number> {
        return this.entries.get(entry) ?? new Map();
    }
}

/** What scrolls in a page. Other parts that should be where they were carry the attribute. */
const PARTS = '.page-body, [data-keeps-scroll]';
/** How long content may take to be as tall as it was. */
const PATIENCE_MS = 3000;

const scrolls = new Scrolls();

function partsOf(root: Document): Map<string, HTMLElement> {
    return new Map([...root.querySelectorAll<HTMLElement>(PARTS)].map((part, at) => [String(at), part]));
}

/** Notes where people scroll to. Returns a function that stops this. */
export function noteScrolls(entry: () => string): () => void {
    const note = ({ target }: Event): void => {
        if (!(target instanceof HTMLElement) || !target.matches(PARTS)) return;
        for (const [name, part] of partsOf(document))
            if (part === target) scrolls.note(entry(), name, part.scrollTop);
    };
    // Scrolling does not bubble; it can only be seen on its way down.
    document.addEventListener('scroll', note, { capture: true, passive: true });
    return () => document.removeEventListener('scroll', note, { capture: true });
}

/** Puts the parts of the page where they were when a person left it. */
export function restoreScrolls(entry: string): void {
    const wanted = new Map(scrolls.of(entry));
    for (const [name, part] of partsOf(document)) {
        const top = wanted.get(name);
        // One that stayed on the screen has not moved, and should not.
        if (top && part.scrollTop === 0) settle(part, top);
    }
}

/** Scrolls a part as soon as it is tall enough, unless the person scrolls first. */
function settle(part: HTMLElement, top: number): void {
    part.scrollTop = top;
    if (Math.abs(part.scrollTop - top) < 1) return;
    const observer = new ResizeObserver(() => {
        part.scrollTop = top;
        if (Math.abs(part.scrollTop - top) < 1) stop();
    });
    const inputs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
    const stop = (): void => {
        observer.disconnect();
        clearTimeout(timer);
        for (const input of inputs) window.removeEventListener(input, stop, true);
    };
    const timer = setTimeout(stop, PATIENCE_MS);
    for (const child of part.children) observer.observe(child);
    for (const input of inputs) window.addEventListener(input, stop, { capture: true, passive: true });
}
