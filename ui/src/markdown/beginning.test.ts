import { describe, expect, it } from 'vitest';
import { beginning, sizeOf } from './beginning';
import { markdown } from './reading';
import { CODE_PARTS, type Block } from './tree';

const TEXT =
    '# A *b* c\n\ntext **of _many_** `parts`\n\n- one\n- two\n  1. three\n  2. four\n\n> quoted\n\n' +
    '| a | b |\n|---|---|\n| 1 | *2* |\n| 3 | 4 |\n\n```\ncode\n```\n';

describe('the beginning of a tree', () => {
    const whole = markdown(TEXT) as Block[];
    const size = sizeOf(whole);

    it('grows from nothing to all of it', () => {
        expect(beginning(whole, 0)).toEqual([]);
        let before = -1;
        for (let parts = 1; parts < size; parts++) {
            const drawn = sizeOf(beginning(whole, parts));
            expect(drawn).toBeGreaterThanOrEqual(before);
            // What holds a part comes with it, and a block of code comes whole.
            expect(drawn).toBeLessThanOrEqual(parts + CODE_PARTS);
            before = drawn;
        }
        expect(beginning(whole, size)).toBe(whole);
    });

    it('leaves alone what is whole', () => {
        const some = beginning(whole, size - 1);
        expect(some.slice(0, -1).every((block, at) => block === whole[at])).toBe(true);
    });
});
