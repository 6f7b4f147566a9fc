import { expect, test } from 'vitest';

import { attachmentPath, attachmentsOf, fileSize, isImage, thumbnail } from './attachment';
import type { Attachment, Item } from '../lib/wire';

const shot: Attachment = { id: 'a/b', name: 'shot.png', media_type: 'image/png', size: 10 };

test('only plain images are shown', () => {
    expect(isImage(shot)).toBe(true);
    for (const media_type of ['image/svg+xml', 'text/plain', 'application/pdf', 'text/html'])
        expect(isImage({ ...shot, media_type } as Attachment)).toBe(false);
});

test('an item lists its files, or none', () => {
    const item = (fields: unknown) => ({ fields }) as Item;
    expect(attachmentsOf(item({ attachments: [shot] }))).toEqual([shot]);
    expect(attachmentsOf(item({}))).toEqual([]);
});

test('a path stays one path', () => {
    expect(attachmentPath('s?', shot)).toBe('/api/sessions/s%3F/attachments/a%2Fb');
});

test('sizes are rounded up', () => {
    expect([0, 1023, 1024, 1025, 1048576, 1600000, 33554433].map(fileSize)).toEqual([
        '0 bytes',
        '1023 bytes',
        '1 KB',
        '2 KB',
        '1 MB',
        '1.6 MB',
        '32.1 MB',
    ]);
});

test('an image keeps its shape and grows no larger than it is', () => {
    const sized = (width: number, height: number) => thumbnail({ ...shot, width, height });
    expect(sized(8, 8)).toEqual({ width: 8, height: 8 });
    expect(sized(2560, 800)).toEqual({ width: 256, height: 80 });
    expect(sized(1000, 1600)).toEqual({ width: 100, height: 160 });
    expect(sized(16384, 1)).toEqual({ width: 256, height: 1 });
    expect(thumbnail(shot)).toEqual({ width: 256, height: 160 });
});
