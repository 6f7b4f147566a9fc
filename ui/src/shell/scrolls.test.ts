import { expect, it } from 'vitest';
import { MOST, Scrolls } from './scrolls';

it('keeps positions apart, by entry and by part', () => {
    const scrolls = new Scrolls();
    scrolls.note('a', 'list', 10);
    scrolls.note('a', 'list', 20);
    scrolls.note('a', 'page', 5);
    scrolls.note('b', 'list', 7);
    expect([...scrolls.of('a')]).toEqual([
        ['list', 20],
        ['page', 5],
    ]);
    expect([...scrolls.of('b')]).toEqual([['list', 7]]);
    expect([...scrolls.of('c')]).toEqual([]);
});

it('forgets the entries that were left alone the longest', () => {
    const scrolls = new Scrolls();
    scrolls.note('first', 'list', 1);
    scrolls.note('second', 'list', 2);
    scrolls.note('first', 'list', 3);
    for (let at = 0; at < MOST - 1; at++) scrolls.note(`more ${at}`, 'list', at);
    expect(scrolls.of('first').get('list')).toBe(3);
    expect(scrolls.of('second').size).toBe(0);
});
