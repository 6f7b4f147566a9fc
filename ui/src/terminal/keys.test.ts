import { expect, test } from 'vitest';
import { bytesOf, withControl } from './keys';

test.each([
    ['c', '\x03'],
    ['C', '\x03'],
    ['[', '\x1b'],
    [' ', '\0'],
    ['?', '\x7f'],
    ['1', undefined],
    ['é', undefined],
    ['', undefined],
])('Ctrl and %j', (character, sent) => {
    expect(withControl(character)).toBe(sent);
});

test('a mouse report beyond column 95 keeps its bytes', () => {
    expect([...bytesOf('\x1b[M \xc8\x21')]).toEqual([0x1b, 0x5b, 0x4d, 0x20, 0xc8, 0x21]);
});
