import type { SyntaxNode, Tree } from '@lezer/common';
import { InlineMapper } from './inlines';
import type { Meter } from './meter';
import { CODE_PARTS, type Block, type Entry, type Inline } from './tree';

/** Makes our parts of what the parser found. */
export function mapped(tree: Tree, text: string, meter: Meter): Block[] {
    return new Mapper(text, meter).blocks(tree.topNode, 0);
}

class Mapper {
    private readonly inlines: InlineMapper;

    constructor(
        private readonly text: string,
        private readonly meter: Meter,
    ) {
        this.inlines = new InlineMapper(text, meter);
    }

    blocks(parent: SyntaxNode, depth: number): Block[] {
        this.meter.depth(depth);
        const blocks: Block[] = [];
        for (let node = parent.firstChild; node; node = node.nextSibling) {
            const block = this.block(node, depth);
            if (!block) continue;
            this.meter.node(block.is === 'code' ? CODE_PARTS : 1);
            blocks.push(block);
        }
        return blocks;
    }

    private block(node: SyntaxNode, depth: number): Block | undefined {
        const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
        if (heading) return { is: 'heading', level: Number(heading[1]), children: this.inline(node, depth) };
        switch (node.name) {
            case 'Paragraph':
            case 'Task':
                return { is: 'paragraph', children: this.inline(node, depth) };
            case 'FencedCode':
            case 'CodeBlock':
                return this.code(node);
            case 'Blockquote':
                return { is: 'quote', blocks: this.blocks(node, depth + 1) };
            case 'BulletList':
            case 'OrderedList':
                return this.list(node, depth + 1);
            case 'Table':
                return this.table(node, depth);
            case 'HorizontalRule':
                return { is: 'rule' };
            default:
                // Marks of blocks, which show as what they make of them.
                return undefined;
        }
    }

    private inline(node: SyntaxNode, depth: number): Inline[] {
        return this.inlines.within(node, depth);
    }

    private code(node: SyntaxNode): Block {
        let [language, text] = ['', ''];
        let marks = 0;
        for (let child = node.firstChild; child; child = child.nextSibling) {
            if (child.name === 'CodeInfo') language = this.slice(child).trim().split(/\s/)[0] ?? '';
            if (child.name === 'CodeMark') marks += 1;
            if (child.name === 'CodeText') text += this.slice(child);
        }
        const open = node.name === 'FencedCode' && marks < 2;
        return { is: 'code', language, text, ...(open && { open }) };
    }

    private list(node: SyntaxNode, depth: number): Block {
        const entries: Entry[] = [];
        // In a quote, the marks of its lines are among them.
        for (const item of node.getChildren('ListItem')) {
            this.meter.node();
            const task = item.getChild('Task')?.getChild('TaskMarker');
            const done = task ? /x/i.test(this.slice(task)) : undefined;
            entries.push({ done, blocks: this.blocks(item, depth) });
        }
        const mark = node.getChild('ListItem')?.getChild('ListMark');
        const ordered = node.name === 'OrderedList';
        const start = ordered && mark ? Number.parseInt(this.slice(mark), 10) : 1;
        return { is: 'list', ordered, start, entries };
    }

    private table(node: SyntaxNode, depth: number): Block {
        let head: Inline[][] = [];
        const body: Inline[][][] = [];
        for (let row = node.firstChild; row; row = row.nextSibling) {
            if (row.name === 'TableHeader') {
                head = this.cells(row, depth);
                this.meter.row(head.length);
            } else if (row.name === 'TableRow') {
                // As wide as the head, whatever is written.
                this.meter.row(head.length);
                const cells = this.cells(row, depth);
                body.push(head.map((_, column) => cells[column] ?? []));
            }
        }
        return { is: 'table', head, body };
    }

    /** Returns the cells of a row. One without anything in it is there only by the bars around it. */
    private cells(row: SyntaxNode, depth: number): Inline[][] {
        const cells: Inline[][] = [];
        let cell: Inline[] | undefined;
        let first = true;
        for (let node = row.firstChild; node; node = node.nextSibling) {
            if (node.name === 'TableCell') {
                cell = this.inline(node, depth);
                continue;
            }
            if (!first || cell) cells.push(cell ?? []);
            [cell, first] = [undefined, false];
        }
        if (cell) cells.push(cell);
        return cells;
    }

    private slice(node: SyntaxNode): string {
        return this.text.slice(node.from, node.to);
    }
}
