/** As much of a visual viewport as is used here. */
export interface Viewport {
    readonly offsetTop: number;
    readonly height: number;
    readonly scale: number;
}

/** Returns how many pixels above `bottom` the keyboard of a phone covers. */
export function coveredAt(bottom: number, { offsetTop, height, scale }: Viewport): number {
    // Who zooms in sees less for another reason.
    return scale > 1.01 ? 0 : Math.max(0, Math.round(bottom - offsetTop - height));
}

/** Tells how much of the room for an element the keyboard covers, whenever that changes. */
export function watchCovered(element: Element, told: (pixels: number) => void): () => void {
    const viewport = window.visualViewport;
    // The element itself becomes shorter by what is told.
    const room = element.parentElement;
    if (!viewport || !room) return () => {};
    const look = (): void => told(coveredAt(room.getBoundingClientRect().bottom, viewport));
    viewport.addEventListener('resize', look);
    viewport.addEventListener('scroll', look);
    return () => {
        viewport.removeEventListener('resize', look);
        viewport.removeEventListener('scroll', look);
    };
}
