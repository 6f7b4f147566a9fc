/** A character that would show nothing, or turn the text around. Lines and tabs are fine. */
const HIDDEN = /[^\P{C}\n\t]|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}/gu;

/** A stroke through the character before it. */
const STROKE = '\u0338';

/** Scripts in which a joiner or non-joiner between two letters decides how they look. */
const JOINED =
    /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]$/u;

/** What a joiner or a selector belongs to, in an emoji of several characters. */
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u;

/** Writes out what could not be seen: text of others shows all that it has, in the order that it has. */
export function visible(text: string): string {
    return text.replace(HIDDEN, (hidden, at: number) =>
        belongs(hidden, text, at) ? hidden : `\\u{${hidden.codePointAt(0)?.toString(16)}}`,
    );
}

/** As `visible`, in one line: for names, which have a line. */
export function visibleLine(text: string): string {
    return visible(text).replace(/[\n\t]/g, (space) => (space === '\n' ? '\\n' : '\\t'));
}

/** As `visible`, where text has no room to be longer: what could not be seen strikes out the character before it. */
export function struck(text: string): string {
    return text.replace(HIDDEN, (hidden, at: number) => (belongs(hidden, text, at) ? hidden : STROKE));
}

/** Says whether a character that shows nothing by itself is part of one that does. */
function belongs(hidden: string, text: string, at: number): boolean {
    if (hidden === '\r') return text[at + 1] === '\n';
    const before = text.slice(Math.max(0, at - 2), at);
    if (hidden === '\ufe0f' || hidden === '\ufe0e')
        return PICTURE.test(before) || (/[0-9#*]$/.test(before) && text[at + 1] === '\u20e3');
    if (hidden !== '\u200d' && hidden !== '\u200c') return false;
    const after = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
    if (hidden === '\u200d' && PICTURE.test(before)) return PICTURE.test(after);
    return JOINED.test(before) && JOINED.test(after);
}
