const NAME = 'found';
/** More marks than this do not help. */
const MOST = 200;

/** Marks a text wherever it stands in an element. The browser draws the marks; the page stays what it is. */
export function highlight(element: HTMLElement, text: string): void {
    if (!('highlights' in CSS)) return;
    const wanted = text.trim().toLowerCase();
    const ranges: Range[] = [];
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); wanted && node && ranges.length < MOST; node = walker.nextNode()) {
        const words = (node.nodeValue ?? '').toLowerCase();
        for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + wanted.length)) {
            // Lower case may be longer: then it is not known where it stands.
            if (words.length !== node.nodeValue?.length) break;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + wanted.length);
            ranges.push(range);
        }
    }
    CSS.highlights.set(NAME, new Highlight(...ranges));
}

export function clearHighlight(): void {
    if ('highlights' in CSS) CSS.highlights.delete(NAME);
}
