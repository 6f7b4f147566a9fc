/** How far a finger moves to the side before it counts, and how much further than up or down. */
const FAR = 96;
const LEVEL = 2;

/**
 * A finger that moves an entry to the left: `{@attach swipe(act, acts)}`. The entry follows it, and comes back. Where
 * nothing would come of it, the entry stays where it is.
 */
export function swipe(
    act: (element: HTMLElement) => void,
    acts: (element: HTMLElement) => boolean,
): (element: HTMLElement) => () => void {
    return (element) => {
        const listeners = new AbortController();
        const { signal } = listeners;
        let from: { x: number; y: number } | undefined;
        let by = 0;
        const end = (counts: boolean) => {
            const far = by <= -FAR;
            from = undefined;
            by = 0;
            element.style.removeProperty('translate');
            if (counts && far) act(element);
        };
        element.addEventListener(
            'touchstart',
            ({ touches: [finger, second] }) => {
                by = 0;
                from =
                    finger && !second && acts(element) ? { x: finger.clientX, y: finger.clientY } : undefined;
            },
            { signal, passive: true },
        );
        element.addEventListener(
            'touchmove',
            ({ touches: [finger] }) => {
                if (!from || !finger) return;
                const [x, y] = [finger.clientX - from.x, finger.clientY - from.y];
                // Scrolling is not swiping.
                if (by === 0 && Math.abs(y) * LEVEL > Math.abs(x) && Math.abs(y) > 8) from = undefined;
                else if (Math.abs(x) > Math.abs(y) * LEVEL && x < -8) by = x;
                element.style.translate = by < 0 ? `${Math.max(by, -FAR * 1.5)}px 0` : '';
            },
            { signal, passive: true },
        );
        element.addEventListener('touchend', () => end(true), { signal });
        element.addEventListener('touchcancel', () => end(false), { signal });
        return () => listeners.abort();
    };
}
