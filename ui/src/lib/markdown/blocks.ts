import { inlines, type Inline } from './inlines';

export type Block =
    | { is: 'paragraph'; children: Inline[] }
    | { is: 'heading'; level: number; children: Inline[] }
    | { is: 'code'; language: string; text: string }
    | { is: 'quote'; blocks: Block[] }
    | { is: 'list'; ordered: boolean; start: number; entries: Entry[] }
    | { is: 'table'; head: Inline[][]; body: Inline[][][] }
    | { is: 'rule' };

export interface Entry {
    /** Of a task list: whether it is done. */
    done: boolean | undefined;
    blocks: Block[];
}

const DEEPEST = 8;
const FENCE = /^ {0,3}(```+|~~~+)\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}> ?/;
const MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])(?: {1,4}(?=\S)|$)/;
const TABLE_RULE = /^ {0,3}\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const TASK = /^\[([ xX])\] /;

/** Reads Markdown. The outcome is a tree of known parts; there is no part for HTML. */
export function markdown(text: string): Block[] {
    return blocks(text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n'), 0);
}

function blocks(lines: string[], depth: number): Block[] {
    const out: Block[] = [];
    let at = 0;
    while (at < lines.length) {
        const line = lines[at] ?? '';
        if (!line.trim()) at += 1;
        else at = block(lines, at, depth, out);
    }
    return out;
}

/** Reads one block that begins at a line that is not blank. Returns the line after it. */
function block(lines: string[], at: number, depth: number, out: Block[]): number {
    const line = lines[at] ?? '';
    const fence = FENCE.exec(line);
    if (fence) return code(lines, at, fence, out);
    const heading = HEADING.exec(line);
    if (heading) {
        out.push({ is: 'heading', level: heading[1]?.length ?? 1, children: inlines(heading[2] ?? '') });
        return at + 1;
    }
    if (RULE.test(line)) {
        out.push({ is: 'rule' });
        return at + 1;
    }
    if (depth < DEEPEST && QUOTE.test(line)) return quote(lines, at, depth, out);
    if (depth < DEEPEST && MARKER.test(line)) return list(lines, at, depth, out);
    if (line.includes('|') && TABLE_RULE.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('|'))
        return table(lines, at, out);
    return paragraph(lines, at, out);
}

function code(lines: string[], at: number, fence: RegExpExecArray, out: Block[]): number {
    const mark = fence[1] ?? '```';
    const indent = indentOf(lines[at] ?? '');
    let end = at + 1;
    while (end < lines.length) {
        const line = (lines[end] ?? '').trim();
        if (line.startsWith(mark) && line.replaceAll(mark[0] ?? '`', '') === '') break;
        end += 1;
    }
    const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent, indentOf(line))));
    out.push({ is: 'code', language: (fence[2] ?? '').trim().split(/\s/)[0] ?? '', text: text.join('\n') });
    return end + 1;
}

function quote(lines: string[], at: number, depth: number, out: Block[]): number {
    const inner: string[] = [];
    for (; at < lines.length && QUOTE.test(lines[at] ?? ''); at++)
        inner.push((lines[at] ?? '').replace(QUOTE, ''));
    out.push({ is: 'quote', blocks: blocks(inner, depth + 1) });
    return at;
}

function list(lines: string[], at: number, depth: number, out: Block[]): number {
    const first = MARKER.exec(lines[at] ?? '');
    const ordered = /\d/.test(first?.[2] ?? '');
    const entries: Entry[] = [];
    while (at < lines.length) {
        const marker = MARKER.exec(lines[at] ?? '');
        if (!marker || /\d/.test(marker[2] ?? '') !== ordered || RULE.test(lines[at] ?? '')) break;
        const width = marker[0].length;
        const inner = [(lines[at] ?? '').slice(width)];
        at += 1;
        while (at < lines.length) {
            const line = lines[at] ?? '';
            const blank = !line.trim();
            if (blank && indentOf(lines[at + 1] ?? '') < 2) break;
            if (!blank && indentOf(line) < Math.min(width, 2) && (MARKER.test(line) || starts(line))) break;
            inner.push(line.slice(Math.min(width, indentOf(line))));
            at += 1;
        }
        while (at < lines.length && !(lines[at] ?? '').trim() && MARKER.test(lines[at + 1] ?? '')) at += 1;
        const task = TASK.exec(inner[0] ?? '');
        if (task) inner[0] = (inner[0] ?? '').slice(task[0].length);
        entries.push({ done: task ? task[1] !== ' ' : undefined, blocks: blocks(inner, depth + 1) });
    }
    out.push({ is: 'list', ordered, start: ordered ? Number.parseInt(first?.[2] ?? '1', 10) : 1, entries });
    return at;
}

function table(lines: string[], at: number, out: Block[]): number {
    const head = cells(lines[at] ?? '');
    const body: Inline[][][] = [];
    for (at += 2; at < lines.length && (lines[at] ?? '').includes('|'); at++) {
        const row = cells(lines[at] ?? '');
        body.push(head.map((_, column) => row[column] ?? []));
    }
    out.push({ is: 'table', head, body });
    return at;
}

function cells(line: string): Inline[][] {
    const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
    return inner.split(/(?<!\\)\|/).map((cell) => inlines(cell.trim().replaceAll('\\|', '|')));
}

function paragraph(lines: string[], at: number, out: Block[]): number {
    const inner = [(lines[at] ?? '').trimStart()];
    at += 1;
    while (at < lines.length && (lines[at] ?? '').trim() && !starts(lines[at] ?? '')) {
        inner.push((lines[at] ?? '').trimStart());
        at += 1;
    }
    out.push({ is: 'paragraph', children: inlines(inner.join('\n').trimEnd()) });
    return at;
}

/** The line begins another block, also in the middle of a paragraph. */
function starts(line: string): boolean {
    return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || MARKER.test(line);
}

function indentOf(line: string): number {
    return line.length - line.trimStart().length;
}
