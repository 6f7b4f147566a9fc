/** Puts a text on the clipboard. Returns whether that worked. */
export async function copy(text: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch {
        return copySelection(text);
    }
}

/** Over plain HTTP a browser has no clipboard for pages, and still copies what is selected. */
function copySelection(text: string): boolean {
    const before = document.activeElement;
    const field = document.createElement('textarea');
    field.value = text;
    field.style.position = 'fixed';
    field.style.opacity = '0';
    document.body.append(field);
    field.select();
    try {
        return document.execCommand('copy');
    } finally {
        field.remove();
        if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    }
}
