/** The width of the list beside a page, in pixels. */
export const NARROWEST = 208;
export const WIDEST = 560;
/** How far an arrow key moves its edge. */
export const STEP = 16;

/** Returns a width that leaves room for the list and, in a window of this width, for the page. */
export function fitting(width: number, window: number): number {
    const most = Math.max(NARROWEST, Math.min(WIDEST, window * 0.45));
    return Math.round(Math.min(most, Math.max(NARROWEST, width)));
}

/** Reads a width as it is kept in the browser; nothing when none was chosen. */
export function readWidth(text: string | null): number | undefined {
    const width = text === null || text.trim() === '' ? NaN : Number(text);
    return Number.isFinite(width) && width >= NARROWEST && width <= WIDEST ? width : undefined;
}

/** Returns the width after a key; nothing when the key is about something else. */
export function stepped(key: string, width: number): number | undefined {
    return { ArrowLeft: width - STEP, ArrowRight: width + STEP, Home: NARROWEST, End: WIDEST }[key];
}
