const KEY = 'paseo.window';

/** What this needs of `sessionStorage`. */
type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Returns the id of this window: a tab keeps it over a reload, and a new tab has another. */
export function windowId(store: () => Store): string {
    try {
        const kept = store().getItem(KEY);
        if (kept && /^[0-9a-f]{16}$/.test(kept)) return kept;
        const id = made();
        store().setItem(KEY, id);
        return id;
    } catch {
        // Storage may be off; the id then lasts as long as the page.
        return made();
    }
}

function made(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
