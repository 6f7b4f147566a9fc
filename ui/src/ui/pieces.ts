/** Most lines of a piece: about a screen, which takes no time to lay out. */
const LINES = 50;

/** Cuts a text into pieces of so many lines. Together they are the text; each but the last ends with its line. */
export function pieces(text: string): readonly string[] {
    const piece = new RegExp(`[^\\n]*(?:\\n[^\\n]*){0,${LINES - 1}}\\n?`, 'g');
    return text.match(piece)?.filter((found) => found !== '') ?? [];
}

/** Returns how many lines a piece has. */
export function linesOf(piece: string): number {
    return piece.replace(/\n$/, '').split('\n').length;
}

/** Returns the first lines of a text, up to so many characters. */
export function beginningOf(text: string, lines: number, characters: number): string {
    const first = new RegExp(`^[^\\n]*(?:\\n[^\\n]*){0,${lines - 1}}`).exec(text)?.[0] ?? '';
    return first.slice(0, characters);
}
