/** How long a finger rests before it selects. */
const LONG_MS = 450;
/** A finger that moved further scrolls. */
const SLACK = 10;

/** A finger that rests on a row: `{@attach longPress(act)}`. The click that follows it is not one. */
export function longPress(act: () => void): (node: HTMLElement) => () => void {
    return (node) => {
        let resting: AbortController | undefined;
        let pressed = false;
        const down = (event: PointerEvent) => {
            pressed = false;
            resting?.abort();
            if (event.pointerType !== 'touch' || !event.isPrimary) return;
            const rest = (resting = new AbortController());
            const timer = setTimeout(() => {
                pressed = true;
                act();
            }, LONG_MS);
            rest.signal.addEventListener('abort', () => clearTimeout(timer));
            // Most rows of a long list are never touched: what follows is listened to only then.
            const listen = { signal: rest.signal };
            const { clientX: x, clientY: y } = event;
            const move = (now: PointerEvent) => {
                if (Math.hypot(now.clientX - x, now.clientY - y) > SLACK) rest.abort();
            };
            node.addEventListener('pointermove', move, listen);
            node.addEventListener('pointerup', () => rest.abort(), listen);
            node.addEventListener('pointercancel', () => rest.abort(), listen);
        };
        const click = (event: Event) => {
            if (!pressed) return;
            pressed = false;
            event.preventDefault();
            event.stopPropagation();
        };
        const listen = { capture: true };
        node.addEventListener('pointerdown', down);
        node.addEventListener('click', click, listen);
        return () => {
            resting?.abort();
            node.removeEventListener('pointerdown', down);
            node.removeEventListener('click', click, listen);
        };
    };
}
