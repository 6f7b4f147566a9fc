import { MediaQuery } from 'svelte/reactivity';
import { sideOf } from './areas';
import {
    bind,
    close,
    dock,
    MAIN,
    move,
    open,
    OPEN,
    reset,
    resize,
    select,
    showing,
    split,
    type Panel,
    type PanelWindow,
    type Path,
    type Side,
} from './panels';
import { read, written } from './stored';
import { panelType } from './types';
import { windowId } from './windowId';

const KEY = 'paseo.panels';

const wide = new MediaQuery('min-width: 64rem');

/** Says whether panels stand beside the agent; else they are sheets. */
export function hasRoomForPanels(): boolean {
    return wide.current;
}

/** The panels of this browser's window: kept in the browser, because they are about its screen. */
class Panels {
    readonly id = windowId(() => sessionStorage);
    window = $state.raw<PanelWindow>(stored());

    /** Returns the panel of a type that follows the agent that is open. */
    following(type: string): Panel | undefined {
        return showing(this.window, type, OPEN);
    }

    /** Opens a panel that follows the agent that is open. */
    open(type: string): void {
        const known = panelType(type);
        if (known) this.change(open(this.window, { type, binding: OPEN, title: known.title }));
    }

    close(id: string): void {
        this.change(close(this.window, id));
    }

    toggle(type: string): void {
        const panel = this.following(type);
        if (panel) this.close(panel.id);
        else this.open(type);
    }

    /** Opens a panel beside or below another one. */
    split(beside: string, side: Side, type: string): void {
        const known = panelType(type);
        if (!known) return;
        this.change(split(this.window, beside, side, { type, binding: OPEN, title: known.title }));
    }

    /** Moves a panel to a side of the conversation. */
    moveTo(id: string, side: Side): void {
        const dockable = side === 'left' || side === 'right';
        this.change(dockable ? dock(this.window, id, side) : move(this.window, id, MAIN, side));
    }

    sideOf(id: string): Side | undefined {
        return sideOf(this.window.layout, id);
    }

    /** Keeps a panel on an agent, whichever is open; without one, it follows the one that is. */
    bind(id: string, session: string | undefined): void {
        this.change(bind(this.window, id, session === undefined ? OPEN : { to: 'session', session }));
    }

    select(id: string): void {
        if (id !== this.window.selected) this.change(select(this.window, id));
    }

    resize(split: Path, at: number, share: number): void {
        this.change(resize(this.window, split, at, share));
    }

    reset(): void {
        this.change(reset());
    }

    private change(window: PanelWindow): void {
        this.window = window;
        const text = written(window);
        try {
            // Each tab has a layout of its own; a new one begins with the last that was saved.
            sessionStorage.setItem(KEY, text);
            localStorage.setItem(KEY, text);
        } catch {
            // Storage may be off; the layout then lasts as long as the page.
        }
    }
}

function stored(): PanelWindow {
    try {
        return read(sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY));
    } catch {
        return reset();
    }
}

export const panels = new Panels();
