/** A block of code is drawn with its button, about as so many other parts. */
export const CODE_PARTS = 8;

/** Markdown as a tree of known parts. There is no part for HTML. */
export type Block =
    | { is: 'paragraph'; children: Inline[] }
    | { is: 'heading'; level: number; children: Inline[] }
    /** `open`: its end is not written yet. */
    | { is: 'code'; language: string; text: string; open?: true }
    | { is: 'quote'; blocks: Block[] }
    | { is: 'list'; ordered: boolean; start: number; entries: Entry[] }
    | { is: 'table'; head: Inline[][]; body: Inline[][][] }
    | { is: 'rule' };

export interface Entry {
    /** Of a task list: whether it is done. */
    done: boolean | undefined;
    blocks: Block[];
}

/** A piece of text within a block. */
export type Inline =
    | { is: 'text'; text: string }
    | { is: 'code'; text: string }
    | { is: 'break' }
    | { is: 'strong' | 'em' | 'del'; children: Inline[] }
    | { is: 'link'; href: string; children: Inline[] };
