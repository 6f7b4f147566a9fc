/** A hidden page gives its terminals up after this long. */
const HIDDEN = 30_000;

type Told = (shown: boolean) => void;

/**
 * Which elements can be seen: those in the view of a page that was not hidden for long. There is one observer for all of
 * them, so that what comes into view at the same time is told at the same time.
 */
class Places {
    private readonly watched = new Map<Element, { readonly told: Told; inView: boolean }>();
    private observer: IntersectionObserver | undefined;
    private hidden = false;
    private timer: ReturnType<typeof setTimeout> | undefined;

    watch(element: Element, told: Told): () => void {
        if (this.watched.size === 0) document.addEventListener('visibilitychange', this.changed);
        this.watched.set(element, { told, inView: false });
        this.observer ??= new IntersectionObserver((entries) => this.moved(entries));
        this.observer.observe(element);
        return () => {
            this.observer?.unobserve(element);
            this.watched.delete(element);
            if (this.watched.size > 0) return;
            document.removeEventListener('visibilitychange', this.changed);
            clearTimeout(this.timer);
            this.hidden = false;
        };
    }

    private moved(entries: readonly IntersectionObserverEntry[]): void {
        for (const { target, isIntersecting } of entries) {
            const each = this.watched.get(target);
            if (!each) continue;
            each.inView = isIntersecting;
            each.told(isIntersecting && !this.hidden);
        }
    }

    private readonly changed = (): void => {
        clearTimeout(this.timer);
        if (document.visibilityState === 'hidden') this.timer = setTimeout(() => this.hide(true), HIDDEN);
        else this.hide(false);
    };

    private hide(hidden: boolean): void {
        this.hidden = hidden;
        for (const { told, inView } of this.watched.values()) told(inView && !hidden);
    }
}

const places = new Places();

/** Tells whether an element can be seen: it is in the view, and the page was not hidden for long. */
export function watchPlace(element: Element, told: Told): () => void {
    return places.watch(element, told);
}
