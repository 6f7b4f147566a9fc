import { areas } from './areas';
import type { Panel, PanelWindow } from './panels';

/** A panel of a window, as others are told of it. */
export interface Listed extends Panel {
    /** What a person does next is meant for it. */
    readonly selected: boolean;
}

/** Returns the panels of a window in the order in which they are drawn: from left to right, then from top to bottom. */
export function inventory({ panels, layout, selected }: PanelWindow): Listed[] {
    const order = [...areas(layout).panels.keys()];
    return panels
        .map((panel) => ({ ...panel, selected: panel.id === selected }))
        .sort((one, other) => order.indexOf(one.id) - order.indexOf(other.id));
}
