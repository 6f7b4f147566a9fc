/** Something that a person sees. */
export interface Sight {
    readonly selector: string;
    /** Words in it. */
    readonly text?: string;
    /** It need not be in view. */
    readonly anywhere?: boolean;
}

/** A move of what was on the screen, as the browser counts it, or a task; at a time of the clock on the wall. */
interface Noted {
    readonly value: number;
    readonly at: number;
}

/** What is known about a page in the page itself. */
export interface Probe {
    /** Waits until all of these are painted. Returns when that was, by `performance.now()`. */
    seen(sights: readonly Sight[]): Promise<number>;
    /** When each card of the inbox was painted first, by `Date.now()`. */
    readonly cards: Map<string, number>;
    readonly shifts: Noted[];
    /** Tasks of more than 50 ms. */
    readonly tasks: Noted[];
}

declare global {
    interface Window {
        readonly probe: Probe;
        /** When what a load is measured by was there. */
        loaded?: Promise<number>;
    }
}

/** Puts the probe into a page, before anything else runs there. Uses nothing from outside of itself. */
export function probe(): void {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    /** Waits for the first task after the frame that is being made. */
    const painted = () =>
        new Promise<void>((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => {
                port1.close();
                resolve();
            };
            port2.postMessage(null);
        });

    const isSeen = ({ selector, text, anywhere }: Sight): boolean =>
        [...document.querySelectorAll(selector)].some((element) => {
            if (text !== undefined && !element.textContent.includes(text)) return false;
            if (anywhere) return true;
            const { top, bottom, height } = element.getBoundingClientRect();
            return height > 0 && bottom > 0 && top < innerHeight;
        });

    const seen = async (sights: readonly Sight[]): Promise<number> => {
        do await frame();
        while (!sights.every(isSeen));
        await painted();
        return performance.now();
    };

    const cards = new Map<string, number>();
    const pending = new Set<string>();
    const look = () => {
        for (const card of document.querySelectorAll<HTMLElement>('li[data-stop]')) {
            const key = card.dataset['stop'] ?? '';
            if (cards.has(key) || pending.has(key)) continue;
            pending.add(key);
            void frame()
                .then(painted)
                .then(() => cards.set(key, Date.now()));
        }
    };
    new MutationObserver(look).observe(document, { childList: true, subtree: true });

    const shifts: Noted[] = [];
    const tasks: Noted[] = [];
    const note = (type: string, notes: Noted[], value: (entry: PerformanceEntry) => number) =>
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
                notes.push({ value: value(entry), at: performance.timeOrigin + entry.startTime });
        }).observe({ type, buffered: true });
    note('layout-shift', shifts, (entry) => (entry as unknown as { value: number }).value);
    note('longtask', tasks, ({ duration }) => duration);
    Object.defineProperty(window, 'probe', { value: { seen, cards, shifts, tasks } satisfies Probe });
}
