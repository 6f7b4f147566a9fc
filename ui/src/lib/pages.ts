/** Reads a list whole. What is beside its rows is what the first page says. */
export async function whole<List, Row>(
    pages: AsyncIterable<List>,
    rowsOf: (list: List) => Row[],
): Promise<List> {
    let list: List | undefined;
    for await (const page of pages) {
        if (list === undefined) list = page;
        else rowsOf(list).push(...rowsOf(page));
    }
    if (list === undefined) throw new Error('a list without a page');
    return list;
}
