/** How long a permission request is displayed and still before it takes a decision. The daemon checks the same. */
export const CONSENT_MS = 500;

/** How often it is looked where things are. A move between two looks is seen by the next one, or by the click. */
const EVERY_MS = 100;
/** Less than this is how the browser rounds. */
const MOVED_PX = 1;

/** Where something is on the screen. */
export interface Place {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
}

/** Tells how long something has been displayed at one place. Times are those of a monotonic clock. */
export class Stillness {
    private place: Place | undefined;
    private since = 0;

    /** Notes where it is; `undefined` while it is not displayed. */
    look(place: Place | undefined, now: number): void {
        if (place && this.place && !moved(this.place, place)) return;
        this.place = place;
        this.since = now;
    }

    /** Forgets where it was. */
    restart(): void {
        this.place = undefined;
    }

    /** Returns the milliseconds for which it has been displayed and still at a moment. */
    shown(at: number): number {
        return this.place ? Math.max(0, Math.floor(at - this.since)) : 0;
    }
}

function moved(before: Place, now: Place): boolean {
    const by = (side: keyof Place) => Math.abs(before[side] - now[side]);
    return by('left') > MOVED_PX || by('top') > MOVED_PX || by('width') > MOVED_PX || by('height') > MOVED_PX;
}

const watches = new Set<Watch>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Watches an element for as long as it is on the page, and says when it takes input and when it does not. */
export class Watch {
    private readonly stillness = new Stillness();
    private readonly observer: IntersectionObserver;
    private inView = false;
    private ready = false;

    constructor(
        private readonly element: HTMLElement,
        private readonly tell: (ready: boolean) => void,
    ) {
        // Nearly all of it: what is half behind an edge is not displayed.
        this.observer = new IntersectionObserver(
            (entries) => {
                this.inView = (entries.at(-1)?.intersectionRatio ?? 0) > 0.9;
                this.look();
            },
            { threshold: [0, 0.9, 1] },
        );
        this.observer.observe(element);
        watches.add(this);
        timer ??= setInterval(() => watches.forEach((watch) => watch.look()), EVERY_MS);
    }

    end(): void {
        this.observer.disconnect();
        watches.delete(this);
        if (watches.size > 0) return;
        clearInterval(timer);
        timer = undefined;
    }

    /** Counts from now on. */
    restart(): void {
        this.stillness.restart();
        this.look();
    }

    /**
     * Returns for how long it had been displayed and still when something was done to it. The moment is that of the
     * event: a page that was busy hears of a click long after it was made.
     */
    shown(event: Event): number {
        this.look();
        return this.stillness.shown(event.timeStamp);
    }

    private look(): void {
        const now = performance.now();
        const displayed = this.inView && document.visibilityState === 'visible';
        this.stillness.look(displayed ? this.element.getBoundingClientRect() : undefined, now);
        const ready = this.stillness.shown(now) >= CONSENT_MS;
        if (ready === this.ready) return;
        this.ready = ready;
        this.tell(ready);
    }
}
