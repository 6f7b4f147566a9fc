/** Keys that phones do not have, as terminals send them. */
export interface Key {
    readonly label: string;
    /** For who does not see the label. */
    readonly name: string;
    readonly sends: string;
}

export const KEYS: readonly Key[] = [
    { label: 'Esc', name: 'Escape', sends: '\x1b' },
    { label: 'Tab', name: 'Tab', sends: '\t' },
    { label: '↑', name: 'Up', sends: '\x1b[A' },
    { label: '↓', name: 'Down', sends: '\x1b[B' },
    { label: '←', name: 'Left', sends: '\x1b[D' },
    { label: '→', name: 'Right', sends: '\x1b[C' },
    { label: '⏎', name: 'Enter', sends: '\r' },
    { label: 'y', name: 'y', sends: 'y' },
    { label: 'n', name: 'n', sends: 'n' },
];

/** Returns what Ctrl and a character send, or `undefined` when there is no such key. */
export function withControl(character: string): string | undefined {
    const upper = character.toUpperCase();
    if (upper.length !== 1) return undefined;
    const code = upper.charCodeAt(0);
    if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
    if (upper === ' ') return '\0';
    return upper === '?' ? '\x7f' : undefined;
}

/** Returns bytes that a string has one by one in its characters, as mouse reports come. */
export function bytesOf(binary: string): Uint8Array {
    return Uint8Array.from(binary, (character) => character.charCodeAt(0) & 0xff);
}
