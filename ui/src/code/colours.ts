import type { Root, RootContent } from 'hast';

/** What a piece of code can be. Each has a colour in `tokens.css`; 0 has that of text. */
export const KINDS = [
    '',
    'keyword',
    'string',
    'number',
    'name',
    'type',
    'comment',
    'added',
    'removed',
] as const;

export type Kind = (typeof KINDS)[number];

/** Pieces one after the other: the length of each, and which of `KINDS` it is. Together they are the whole text. */
export type Colours = readonly (readonly [length: number, kind: number])[];

/** What the classes of highlight.js are for us. Everything else is text. */
const CLASSES: Readonly<Record<string, Kind>> = {
    'hljs-addition': 'added',
    'hljs-attr': 'name',
    'hljs-attribute': 'name',
    'hljs-built_in': 'type',
    'hljs-bullet': 'keyword',
    'hljs-char': 'string',
    'hljs-class': 'type',
    'hljs-code': 'string',
    'hljs-comment': 'comment',
    'hljs-deletion': 'removed',
    'hljs-doctag': 'comment',
    'hljs-keyword': 'keyword',
    'hljs-link': 'string',
    'hljs-literal': 'number',
    'hljs-meta': 'comment',
    'hljs-name': 'keyword',
    'hljs-number': 'number',
    'hljs-quote': 'comment',
    'hljs-regexp': 'string',
    'hljs-section': 'name',
    'hljs-selector-class': 'name',
    'hljs-selector-id': 'name',
    'hljs-selector-tag': 'keyword',
    'hljs-string': 'string',
    'hljs-symbol': 'string',
    'hljs-tag': '',
    'hljs-template-tag': 'keyword',
    'hljs-title': 'name',
    'hljs-type': 'type',
    'hljs-variable': '',
};

/** Returns the colours of a tree that lowlight made. Of what is within each other, the innermost counts. */
export function coloursOf(tree: Root): Colours {
    const out: [number, number][] = [];
    const visit = (nodes: readonly RootContent[], kind: number): void => {
        for (const node of nodes) {
            if (node.type === 'text') push(out, node.value.length, kind);
            else if (node.type === 'element')
                visit(node.children, kindOf(node.properties['className']) ?? kind);
        }
    };
    visit(tree.children, 0);
    return out;
}

function kindOf(classes: unknown): number | undefined {
    for (const name of Array.isArray(classes) ? classes : [])
        if (Object.hasOwn(CLASSES, String(name))) return KINDS.indexOf(CLASSES[String(name)]!);
    return undefined;
}

function push(out: [number, number][], length: number, kind: number): void {
    const last = out.at(-1);
    if (last?.[1] === kind) last[0] += length;
    else if (length > 0) out.push([length, kind]);
}

/** Cuts a text into its pieces. Colours that do not fit it are none. */
export function coloured(text: string, colours: Colours): { text: string; kind: Kind }[] {
    const pieces: { text: string; kind: Kind }[] = [];
    let at = 0;
    for (const [length, kind] of colours) {
        pieces.push({ text: text.slice(at, at + length), kind: KINDS[kind] ?? '' });
        at += length;
    }
    return at === text.length ? pieces : [{ text, kind: '' }];
}
