import { describe, expect, it } from 'vitest';
import type { FileEntry } from '../lib/wire';
import { above, imagePath, opensAs, remark, shownFile, steps, under, writtenIn } from './paths';

function entry(fields: Partial<FileEntry>): FileEntry {
    return { name: 'a', kind: 'file', exact: true, ...fields };
}

describe('paths', () => {
    it('are steps from the directory of the agent on', () => {
        expect(steps('')).toEqual([]);
        expect(steps('src/a b/c')).toEqual([
            { name: 'src', path: 'src' },
            { name: 'a b', path: 'src/a b' },
            { name: 'c', path: 'src/a b/c' },
        ]);
        expect(under('', 'src')).toBe('src');
        expect(under('src', 'main.rs')).toBe('src/main.rs');
    });

    it('end at the directory of the agent', () => {
        expect(above('src/ui/a.ts')).toBe('src/ui');
        expect(above('src')).toBe('');
        expect(above('')).toBeUndefined();
    });

    it('are one line in which nothing is hidden', () => {
        expect(shownFile('a\n\tb')).toBe('a\\n\\tb');
        expect(shownFile('invoice\u202efdp.exe')).toBe('invoice\\u{202e}fdp.exe');
        expect(shownFile('a\u200bb\u2028c')).toBe('a\\u{200b}b\\u{2028}c');
        expect(shownFile('שלום.txt')).toBe('שלום.txt');
    });

    it('keep their characters in the address of an image', () => {
        const url = new URL(imagePath('a/b', 'x&raw=false#?\n é.png'), 'http://daemon');
        expect(url.pathname).toBe('/api/sessions/a%2Fb/file');
        expect([...url.searchParams]).toEqual([
            ['path', 'x&raw=false#?\n é.png'],
            ['raw', 'true'],
        ]);
    });

    it('tell the language of a file', () => {
        expect(writtenIn('src/main.rs')).toBe('rs');
        expect(writtenIn('a.d.ts')).toBe('ts');
        expect(writtenIn('v1.2/LICENSE')).toBe('');
    });
});

describe('entries', () => {
    it('open as what they are, or lead to', () => {
        expect(opensAs(entry({}))).toBe('file');
        expect(opensAs(entry({ kind: 'directory' }))).toBe('directory');
        expect(opensAs(entry({ kind: 'symlink', leads_to: 'directory' }))).toBe('directory');
        expect(opensAs(entry({ kind: 'symlink', leads_to: 'file' }))).toBe('file');
    });

    it('stay closed when they lead out, are no files, or cannot be named', () => {
        for (const closed of [
            entry({ kind: 'symlink', leads_to: null }),
            entry({ kind: 'symlink' }),
            entry({ kind: 'symlink', leads_to: 'special' }),
            entry({ kind: 'special' }),
            entry({ exact: false }),
            entry({ kind: 'directory', exact: false }),
        ]) {
            expect(opensAs(closed)).toBeUndefined();
            expect(remark(closed)).toBeTruthy();
        }
        expect(remark(entry({}))).toBeUndefined();
        expect(remark(entry({ kind: 'symlink', leads_to: 'file' }))).toBe('link');
    });
});
