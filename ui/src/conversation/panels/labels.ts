/** A label as it is typed: `key=value`, or a key alone, which stands for `key=true`. */
export function parseLabel(text: string): { key: string; value: string } | undefined {
    const at = text.indexOf('=');
    const key = (at < 0 ? text : text.slice(0, at)).trim();
    const value = at < 0 ? 'true' : text.slice(at + 1).trim();
    return key === '' ? undefined : { key, value };
}

/** Returns labels in the order of their keys. */
export function sorted(labels: Readonly<Record<string, string>>): (readonly [string, string])[] {
    return Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
}
