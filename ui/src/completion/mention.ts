/** What is being mentioned: a file (`@` and what was typed of its path) or a command (`/` and what was typed of it). */
export interface Mention {
    readonly of: 'file' | 'command';
    /** Where the `@` or `/` is. */
    readonly from: number;
    /** The end of what was typed. */
    readonly to: number;
    readonly query: string;
}

const LONGEST = 200;

/** Returns the mention at whose end the caret is. An `@` in a word, as in an address, begins none. */
export function mentionAt(text: string, caret: number): Mention | undefined {
    const before = text.slice(Math.max(0, caret - LONGEST), caret);
    // A harness takes a command only at the very beginning. A second slash makes it a path.
    const command = caret <= LONGEST ? /^\/([^\s/]*)$/u.exec(before)?.[1] : undefined;
    if (command !== undefined) return { of: 'command', from: 0, to: caret, query: command };
    const found = /(?:^|[\s([{"'`])@([^\s@]*)$/u.exec(before);
    if (!found) return undefined;
    const query = found[1] ?? '';
    return { of: 'file', from: caret - query.length - 1, to: caret, query };
}

/** A text, and where the caret is in it. */
export interface Typed {
    readonly text: string;
    readonly caret: number;
}

/** Returns the text with the path of a file, or the name of a command, in place of what was typed of it. */
export function completed(text: string, mention: Mention, chosen: string): Typed {
    // The rest of a word that was there before is no part of the path.
    const rest = text.slice(mention.to);
    const file = /\s/u.test(chosen) ? JSON.stringify(chosen) : chosen;
    const word = mention.of === 'command' ? `/${chosen}` : `@${file}`;
    const space = /^\s/u.test(rest) ? '' : ' ';
    return {
        text: `${text.slice(0, mention.from)}${word}${space}${rest}`,
        caret: mention.from + word.length + 1,
    };
}

/** Returns which choice a key leads to, around the ends; `undefined` for a key that does not move. */
export function moved(key: string, at: number, count: number): number | undefined {
    if (count === 0) return undefined;
    if (key === 'ArrowDown') return at >= count - 1 ? 0 : at + 1;
    if (key === 'ArrowUp') return at <= 0 ? count - 1 : at - 1;
    return undefined;
}
