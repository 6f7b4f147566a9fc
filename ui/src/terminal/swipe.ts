/** Fingers on a terminal. The emulator leaves them to the page. */

export interface Point {
    readonly x: number;
    readonly y: number;
}

/** What a swipe begins as: the browser's own scrolling, or a look at earlier or later lines. */
export type Swipe = 'none' | 'native' | 'earlier' | 'later';

/** A finger that moved less than this many pixels has not decided yet. */
const DECIDED = 10;

/** Says what a movement is. A finger that goes down brings earlier lines. */
export function swipeOf(from: Point, to: Point): Swipe {
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    if (Math.hypot(dx, dy) < DECIDED) return 'none';
    if (Math.abs(dx) > Math.abs(dy)) return 'native';
    return dy > 0 ? 'earlier' : 'later';
}

/** Returns how many rows a finger has passed, and the pixels that are left over. */
export function rowsOf(pixels: number, row: number): { rows: number; rest: number } {
    const rows = Math.trunc(pixels / row);
    return { rows, rest: pixels - rows * row };
}

/** Returns a turn of the wheel at a cell, as programs that asked for the mouse read it. Cells are counted from one. */
export function wheel(earlier: boolean, column: number, row: number): string {
    return `\x1b[<${earlier ? 64 : 65};${column};${row}M`;
}

export interface Swiping {
    /** Says whether a swipe that begins is for the terminal. */
    begins(swipe: 'earlier' | 'later'): boolean;
    /** The finger moved so many pixels down, and is there. */
    moved(pixels: number, at: Point): void;
}

/** Follows one finger on an element; with more fingers, the browser zooms. */
export function watchSwipes(element: HTMLElement, swiping: Swiping): () => void {
    let from: Point | undefined;
    let last: Point | undefined;
    const start = (event: TouchEvent): void => {
        from = event.touches.length === 1 ? pointOf(event) : undefined;
        last = undefined;
    };
    const move = (event: TouchEvent): void => {
        const at = pointOf(event);
        if (!from || !at || event.touches.length !== 1) return;
        if (!last) {
            const swipe = swipeOf(from, at);
            if (swipe === 'none') return;
            if (swipe === 'native' || !swiping.begins(swipe)) {
                from = undefined;
                return;
            }
            last = from;
        }
        event.preventDefault();
        swiping.moved(at.y - last.y, at);
        last = at;
    };
    element.addEventListener('touchstart', start, { passive: true });
    element.addEventListener('touchmove', move, { passive: false });
    return () => {
        element.removeEventListener('touchstart', start);
        element.removeEventListener('touchmove', move);
    };
}

/** Says whether an element scrolls further in the direction of a swipe. */
export function canScroll({ scrollTop, scrollHeight, clientHeight }: Element, swipe: Swipe): boolean {
    return swipe === 'earlier' ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1;
}

/** Says whether an element is in something longer that scrolls: swipes are for that. */
export function inScroller(element: Element): boolean {
    for (let each = element.parentElement; each; each = each.parentElement)
        if (each.scrollHeight > each.clientHeight && /auto|scroll/.test(getComputedStyle(each).overflowY))
            return true;
    return false;
}

function pointOf({ touches }: TouchEvent): Point | undefined {
    const touch = touches[0];
    return touch && { x: touch.clientX, y: touch.clientY };
}
