import type { SyntaxNode } from '@lezer/common';
import { decoded } from './entities';
import { safeHref } from './href';
import type { Meter } from './meter';
import type { Inline } from './tree';

const MARKS: Record<string, 'strong' | 'em' | 'del'> = {
    StrongEmphasis: 'strong',
    Emphasis: 'em',
    Strikethrough: 'del',
};

/** Makes our parts of what stands within a paragraph, a heading or a cell. */
export class InlineMapper {
    /** Deeper than zero within a link, in which there is no other one. */
    private links = 0;

    constructor(
        private readonly text: string,
        private readonly meter: Meter,
    ) {}

    within(node: SyntaxNode, depth: number): Inline[] {
        return this.between(node, node.from, node.to, depth);
    }

    /** Reads the children of a node from one place to another, and the text between them. */
    private between(node: SyntaxNode, from: number, to: number, depth: number): Inline[] {
        this.meter.depth(depth);
        const out: Inline[] = [];
        let at = from;
        for (let child = node.childAfter(from); child && child.from < to; child = child.nextSibling) {
            if (child.from < at) continue;
            this.add(out, joined(this.text.slice(at, child.from)));
            at = child.to;
            this.child(out, child, depth);
        }
        this.add(out, joined(this.text.slice(at, to)));
        return trimmed(out);
    }

    private child(out: Inline[], node: SyntaxNode, depth: number): void {
        const mark = MARKS[node.name];
        if (mark) return this.push(out, { is: mark, children: this.within(node, depth + 1) });
        switch (node.name) {
            case 'Escape':
                return this.add(out, this.slice(node).slice(1));
            case 'Entity':
                return this.add(out, decoded(this.slice(node)));
            case 'HardBreak':
                return this.push(out, { is: 'break' });
            case 'InlineCode':
                return this.push(out, { is: 'code', text: this.code(node) });
            case 'Link':
            case 'Image':
                return this.link(out, node, depth);
            case 'URL':
                return this.address(out, this.slice(node));
            default:
                // The marks themselves, and those of the blocks around.
                return undefined;
        }
    }

    private code(node: SyntaxNode): string {
        const [first, last] = [node.firstChild, node.lastChild];
        const text = this.text.slice(first?.to ?? node.from, last?.from ?? node.to).replaceAll('\n', ' ');
        return text.trim() || text;
    }

    /** `[words](address)`. An image is shown as a link: nothing is loaded from elsewhere. */
    private link(out: Inline[], node: SyntaxNode, depth: number): void {
        const [open, close] = node.getChildren('LinkMark');
        // Not one that stands among the words.
        const url = node.getChildren('URL').find((url) => close && url.from >= close.to);
        if (!open || !close || !url) return this.reference(out, node, depth);
        const address = this.slice(url).replace(/^<(.*)>$/, '$1');
        const href = this.links > 0 ? undefined : safeHref(address);
        this.links += 1;
        const words = this.between(node, open.to, close.from, depth + 1);
        this.links -= 1;
        const children: Inline[] = words.length > 0 ? words : [{ is: 'text', text: address }];
        if (href) this.push(out, { is: 'link', href, children });
        else out.push(...children);
    }

    /** What would be a link if there were a definition is text, with the marks in it. */
    private reference(out: Inline[], node: SyntaxNode, depth: number): void {
        const [open, close] = node.getChildren('LinkMark');
        const [from, to] = [open?.to ?? node.from, close?.from ?? node.to];
        this.add(out, this.text.slice(node.from, from));
        for (const part of this.between(node, from, to, depth + 1)) out.push(part);
        this.add(out, this.text.slice(to, node.to));
    }

    /** An address that stands there by itself. */
    private address(out: Inline[], words: string): void {
        const whole = /^www\./i.test(words) ? `https://${words}` : words;
        const href = safeHref(/^[^/:]+@/.test(whole) ? `mailto:${whole}` : whole);
        if (href && this.links === 0)
            this.push(out, { is: 'link', href, children: [{ is: 'text', text: words }] });
        else this.add(out, words);
    }

    private push(out: Inline[], inline: Inline): void {
        this.meter.node();
        out.push(inline);
    }

    /** Adds text to the text before it, if there is some. */
    private add(out: Inline[], text: string): void {
        if (!text) return;
        const last = out.at(-1);
        if (last?.is === 'text') out[out.length - 1] = { is: 'text', text: last.text + text };
        else this.push(out, { is: 'text', text });
    }

    private slice(node: SyntaxNode): string {
        return this.text.slice(node.from, node.to);
    }
}

/** Makes one line of several. No pattern does that: one would look at a long row of spaces from each of them. */
function joined(text: string): string {
    if (!text.includes('\n')) return text;
    const lines = text.split('\n');
    const inner = (line: string, at: number) => {
        const ended = at < lines.length - 1 ? line.trimEnd() : line;
        return at > 0 ? ended.trimStart() : ended;
    };
    return lines.map(inner).join(' ');
}

/** Takes off the spaces at both ends. */
function trimmed(parts: Inline[]): Inline[] {
    const [first, last] = [parts[0], parts.at(-1)];
    if (first?.is === 'text') parts[0] = { is: 'text', text: first.text.trimStart() };
    const end = parts.at(-1);
    if (last?.is === 'text' && end?.is === 'text')
        parts[parts.length - 1] = { is: 'text', text: end.text.trimEnd() };
    return parts.filter((part) => part.is !== 'text' || part.text);
}
