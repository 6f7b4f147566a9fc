import type { Press } from './shortcuts';

/** The keyboard has ⌘. */
export const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Returns a key that the page may act on, or `undefined` when it belongs to something else: a dialog, or who handled it. */
export function pressOf(event: KeyboardEvent): Press | undefined {
    if (event.defaultPrevented || event.isComposing) return undefined;
    // The dialog or popover itself is asked: its `close` event comes a moment after it closed, when the next key may be there.
    if (document.querySelector('dialog[open], [popover]:popover-open')) return undefined;
    const target = event.target;
    return {
        key: event.key,
        mod: mac ? event.metaKey : event.ctrlKey,
        other: event.altKey || (mac ? event.ctrlKey : event.metaKey),
        inText: target instanceof HTMLElement && target.closest('textarea, input, select') !== null,
    };
}
