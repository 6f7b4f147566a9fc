import { MAIN, OPEN, reset, type Binding, type Layout, type Panel, type PanelWindow } from './panels';

export const VERSION = 2;

/** Writes a window as it is kept in the browser. */
export function written(window: PanelWindow): string {
    return JSON.stringify({ version: VERSION, ...window });
}

/** Reads a window, also one of the version before. Anything that is not exactly one is the default. */
export function read(text: string | null): PanelWindow {
    try {
        const kept = JSON.parse(text ?? '') as Record<string, unknown>;
        const { version, layout, selected } = kept;
        if (version !== VERSION && version !== 1) return reset();
        const panels = Array.isArray(kept['panels']) ? kept['panels'].map(panelOf) : [];
        if (!panels.every((panel) => panel !== undefined)) return reset();
        const ids = panels.map(({ id }) => id);
        if (new Set(ids).size !== ids.length) return reset();
        if (!panels.some(({ id, type }) => id === MAIN && type === MAIN)) return reset();
        if (!isLayout(layout) || typeof selected !== 'string' || !ids.includes(selected)) return reset();
        // Each panel has exactly one place.
        if (leaves(layout).sort().join('\n') !== [...ids].sort().join('\n')) return reset();
        return { panels, layout, selected, next: nextOf(kept['next'], ids) };
    } catch {
        return reset();
    }
}

function panelOf(value: unknown): Panel | undefined {
    if (!isObject(value) || !isObject(value['binding'])) return undefined;
    const { id, type, title } = value;
    if (typeof id !== 'string' || typeof type !== 'string' || typeof title !== 'string') return undefined;
    return { id, type, title, binding: bindingOf(value['binding']) };
}

/** Reads what a panel shows. The version before wrote a session, or nothing; a newer one may write other words. */
function bindingOf({ session }: Record<string, unknown>): Binding {
    return typeof session === 'string' ? { to: 'session', session } : OPEN;
}

/** Returns a number that no panel has, whatever was written. */
function nextOf(next: unknown, ids: readonly string[]): number {
    const used = ids.map((id) => Number(/^p(\d{1,9})$/.exec(id)?.[1] ?? 0));
    return Math.max(1, ...used.map((number) => number + 1), Number.isSafeInteger(next) ? Number(next) : 1);
}

function isLayout(value: unknown): value is Layout {
    if (!isObject(value)) return false;
    if (typeof value['panel'] === 'string') return !('split' in value);
    const { split, parts, sizes } = value;
    if (split !== 'row' && split !== 'column') return false;
    if (!Array.isArray(parts) || !Array.isArray(sizes)) return false;
    if (parts.length < 2 || parts.length !== sizes.length || !parts.every(isLayout)) return false;
    if (!sizes.every((size) => typeof size === 'number' && size > 0)) return false;
    return Math.abs((sizes as number[]).reduce((sum, size) => sum + size, 0) - 1) < 0.001;
}

function leaves(layout: Layout): string[] {
    return 'split' in layout ? layout.parts.flatMap(leaves) : [layout.panel];
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
