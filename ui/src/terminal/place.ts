/** A page that nobody looks at gives its terminals up after this long. */
const HIDDEN = 30_000;

/** Tells whether an element can be seen: it is in the view, and the page was not hidden for long. */
export function watchPlace(element: Element, told: (shown: boolean) => void): () => void {
    let inView = false;
    let hidden = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (): void => told(inView && !hidden);
    const observer = new IntersectionObserver((entries) => {
        inView = entries.at(-1)?.isIntersecting ?? false;
        tell();
    });
    observer.observe(element);
    const changed = (): void => {
        clearTimeout(timer);
        if (document.visibilityState === 'hidden')
            timer = setTimeout(() => {
                hidden = true;
                tell();
            }, HIDDEN);
        else {
            hidden = false;
            tell();
        }
    };
    document.addEventListener('visibilitychange', changed);
    return () => {
        clearTimeout(timer);
        observer.disconnect();
        document.removeEventListener('visibilitychange', changed);
    };
}
