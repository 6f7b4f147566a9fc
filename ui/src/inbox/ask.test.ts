import { describe, expect, it } from 'vitest';
import { told } from './ask';

const ask = (tool: string, input: unknown) => JSON.stringify({ input, tool }, null, 2);

describe('what is asked', () => {
    it('is told by tool and command or path', () => {
        expect(told(ask('Bash', { description: 'tests', command: 'make test' }))).toEqual({
            tool: 'Bash',
            what: 'make test',
        });
        expect(told(ask('Write', { content: 'x', file_path: '/a/b' })).what).toBe('/a/b');
        expect(told(ask('shell', { command: ['bash', '-lc', 'ls'] })).what).toBe('bash -lc ls');
        expect(told(ask('odd', { n: 1 }))).toEqual({ tool: 'odd', what: undefined });
    });

    it('hides nothing', () => {
        expect(told(ask('sh', { command: 'echo a\u202eb\u200bc\nd' })).what).toBe(
            'echo a\\u{202e}b\\u{200b}c\nd',
        );
        expect(told(ask('s\u0007h', {})).tool).toBe('s\\u{7}h');
    });

    it('leaves questions as they are', () => {
        for (const text of ['May I?', '3', '[]', '{"a":1}', ''])
            expect(told(text)).toEqual({ tool: undefined, what: undefined });
    });
});
