import { expect, test } from 'vitest';
import { whole } from './pages';

interface List {
    seq: number;
    rows: number[];
}

async function* pages(...lists: List[]): AsyncGenerator<List> {
    yield* lists;
}

test('a list of several pages is read to its end', async () => {
    const read = pages({ seq: 7, rows: [1, 2] }, { seq: 8, rows: [3, 4] }, { seq: 9, rows: [5] });
    expect(await whole(read, ({ rows }) => rows)).toEqual({ seq: 7, rows: [1, 2, 3, 4, 5] });
});

test('a list without a page is an error', async () => {
    await expect(whole(pages(), ({ rows }) => rows)).rejects.toThrow();
});
