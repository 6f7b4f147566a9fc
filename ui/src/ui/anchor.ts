/** Where something opens: beside these edges of the window. */
export interface Anchor {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
}

/** How near to the edge of the window something may come. */
const EDGE = 8;

/** Returns the place of a pointer. */
export function pointAt(event: MouseEvent): Anchor {
    const { clientX: x, clientY: y } = event;
    return { left: x, right: x, top: y, bottom: y };
}

/** Returns the upper left corner of a box: below the anchor, or above where that has more room; within the window. */
export function placeAt(
    at: Anchor,
    box: { readonly width: number; readonly height: number },
    view: { readonly width: number; readonly height: number },
): { left: number; top: number } {
    const within = (wanted: number, size: number, room: number) =>
        Math.max(EDGE, Math.min(wanted, room - size - EDGE));
    const fitsBelow = at.bottom + box.height + EDGE <= view.height;
    const below = fitsBelow || view.height - at.bottom >= at.top;
    // To the right of a point; of a button, under its right edge when there is no room to the right.
    const left = at.left + box.width + EDGE <= view.width ? at.left : at.right - box.width;
    return {
        left: within(left, box.width, view.width),
        top: within(below ? at.bottom : at.top - box.height, box.height, view.height),
    };
}
