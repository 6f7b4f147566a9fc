/** A piece of text within a block. */
export type Inline =
    | { is: 'text'; text: string }
    | { is: 'code'; text: string }
    | { is: 'break' }
    | { is: 'strong' | 'em' | 'del'; children: Inline[] }
    | { is: 'link'; href: string; children: Inline[] };

const DEEPEST = 8;
const MARKS: readonly (readonly [string, 'strong' | 'em' | 'del'])[] = [
    ['**', 'strong'],
    ['__', 'strong'],
    ['~~', 'del'],
    ['*', 'em'],
    ['_', 'em'],
];
const WORD = /[\p{L}\p{N}]/u;
/** More than this is no address. */
const LONGEST = 2000;
const BARE_LINK = /^https?:\/\/[^\s<>"'`]+/;

/** Reads the marks of a line. What is not one of ours stays text; HTML is text. */
export function inlines(text: string, depth = 0): Inline[] {
    return new Scanner(text, depth).run();
}

/** Returns the address if a person may safely follow it, with nothing done for them. */
export function safeHref(href: string): string | undefined {
    // Most of what is no address is told by its beginning; an exception takes its time.
    if (!/^(https?|mailto):/i.test(href)) return undefined;
    try {
        const url = new URL(href);
        return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
    } catch {
        return undefined;
    }
}

class Scanner {
    private readonly out: Inline[] = [];
    private plain = '';
    private at = 0;
    /** Marks that have no partner from here on, so that nobody looks for one again. */
    private readonly hopeless = new Set<string>();

    constructor(
        private readonly text: string,
        private readonly depth: number,
    ) {}

    run(): Inline[] {
        while (this.at < this.text.length) {
            if (!this.special()) this.plain += this.text[this.at++];
        }
        this.flush();
        return this.out;
    }

    private special(): boolean {
        const char = this.text[this.at];
        if (char === '\\') return this.escaped();
        if (char === '`') return this.code();
        if (char === '\n') return this.newline();
        if (this.depth >= DEEPEST) return false;
        if (char === '*' || char === '_' || char === '~') return this.marked();
        if (char === '[') return this.link(this.at);
        if (char === '!' && this.text[this.at + 1] === '[') return this.link(this.at + 1);
        if (char === 'h') return this.bareLink();
        return false;
    }

    private escaped(): boolean {
        const next = this.text[this.at + 1];
        if (!next || !/[!-/:-@[-`{-~]/.test(next)) return false;
        this.plain += next;
        this.at += 2;
        return true;
    }

    private code(): boolean {
        const ticks = /^`+/.exec(this.text.slice(this.at, this.at + 20))?.[0] ?? '`';
        const end = this.find(ticks, this.at + ticks.length);
        if (end < 0) {
            this.plain += ticks;
            this.at += ticks.length;
            return true;
        }
        const text = this.text.slice(this.at + ticks.length, end).replaceAll('\n', ' ');
        return this.add({ is: 'code', text: text.trim() || text }, end + ticks.length);
    }

    private newline(): boolean {
        const hard = this.plain.endsWith('  ');
        this.plain = this.plain.trimEnd();
        if (!hard) {
            this.plain += ' ';
            this.at += 1;
            return true;
        }
        return this.add({ is: 'break' }, this.at + 1);
    }

    private marked(): boolean {
        for (const [mark, is] of MARKS) {
            if (!this.text.startsWith(mark, this.at)) continue;
            const start = this.at + mark.length;
            if (!opens(this.text, this.at, mark)) continue;
            const end = this.closing(mark, start);
            if (end < 0) continue;
            return this.add(
                { is, children: inlines(this.text.slice(start, end), this.depth + 1) },
                end + mark.length,
            );
        }
        return false;
    }

    private closing(mark: string, from: number): number {
        for (let at = this.find(mark, from); at >= 0; at = this.find(mark, at + 1)) {
            // Of `***`, the last two close.
            while (mark.length > 1 && this.text[at + mark.length] === mark[0]) at += 1;
            const before = this.text[at - 1] ?? ' ';
            const after = this.text[at + mark.length] ?? ' ';
            const alone = mark.length > 1 || (after !== mark && before !== mark);
            if (at > from && alone && before.trim() && !(mark[0] === '_' && WORD.test(after))) return at;
        }
        this.hopeless.add(mark);
        return -1;
    }

    /** `[words](address)`. An image is shown as a link: nothing is loaded from elsewhere. */
    private link(open: number): boolean {
        const close = this.find('](', open);
        if (close < 0) return false;
        if (this.find(')', close) < 0) return false;
        const end = partner(this.text, close + 1);
        if (end < 0) return false;
        const words = this.text.slice(open + 1, close);
        if (words.includes('[')) return false;
        const address =
            this.text
                .slice(close + 2, end)
                .trim()
                .split(/\s/)[0] ?? '';
        const href = safeHref(address);
        const children: Inline[] = inlines(words || address, this.depth + 1);
        if (href) return this.add({ is: 'link', href, children }, end + 1);
        this.flush();
        this.out.push(...children);
        this.at = end + 1;
        return true;
    }

    private bareLink(): boolean {
        if (this.at > 0 && WORD.test(this.text[this.at - 1] ?? '')) return false;
        const found = withoutEnd(BARE_LINK.exec(this.text.slice(this.at, this.at + LONGEST))?.[0] ?? '');
        const href = found && safeHref(found);
        if (!href) return false;
        return this.add(
            { is: 'link', href, children: [{ is: 'text', text: found }] },
            this.at + found.length,
        );
    }

    private find(what: string, from: number): number {
        if (this.hopeless.has(what)) return -1;
        const at = this.text.indexOf(what, from);
        if (at < 0) this.hopeless.add(what);
        return at;
    }

    private add(inline: Inline, next: number): true {
        this.flush();
        this.out.push(inline);
        this.at = next;
        return true;
    }

    private flush(): void {
        if (this.plain) this.out.push({ is: 'text', text: this.plain });
        this.plain = '';
    }
}

/** Returns where the parenthesis that opens at `open` is closed again: addresses may hold pairs of their own. */
function partner(text: string, open: number): number {
    let depth = 0;
    for (let at = open; at < Math.min(text.length, open + LONGEST); at++) {
        if (text[at] === '\\') at += 1;
        else if (text[at] === '(' && ++depth > DEEPEST) return -1;
        else if (text[at] === ')' && --depth === 0) return at;
    }
    return -1;
}

/** Takes off what belongs to the sentence around an address: its marks, and a parenthesis that opened before it. */
function withoutEnd(address: string): string {
    let end = address.length;
    let unopened = address.split(')').length - address.split('(').length;
    for (; end > 0; end--) {
        const last = address[end - 1] ?? '';
        if (last === ')' && unopened > 0) unopened -= 1;
        else if (!/[.,;:!?\]*_]/.test(last)) break;
    }
    return address.slice(0, end);
}

function opens(text: string, at: number, mark: string): boolean {
    const after = text[at + mark.length] ?? ' ';
    const before = text[at - 1] ?? ' ';
    if (!after.trim() || (mark.length === 1 && after === mark)) return false;
    return mark[0] !== '_' || !WORD.test(before);
}
