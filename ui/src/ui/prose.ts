export interface Part {
    readonly text: string;
    readonly code: boolean;
}

/** Splits words at their backticks. A backtick without a second one is a character like any other. */
export function parts(text: string): Part[] {
    const cut = text.split(/`([^`\n]+)`/);
    return cut.map((text, at) => ({ text, code: at % 2 === 1 })).filter(({ text }) => text !== '');
}
