import { expect, it } from 'vitest';
import { parseLabel, sorted } from './labels';

it('reads a label as people type it', () => {
    expect(parseLabel(' area = web ')).toEqual({ key: 'area', value: 'web' });
    expect(parseLabel('urgent')).toEqual({ key: 'urgent', value: 'true' });
    expect(parseLabel('query=a=b')).toEqual({ key: 'query', value: 'a=b' });
    expect(parseLabel('area=')).toEqual({ key: 'area', value: '' });
    expect(parseLabel('')).toBeUndefined();
    expect(parseLabel('=web')).toBeUndefined();
});

it('orders labels by key', () => {
    expect(sorted({ ui: 'true', area: 'web' })).toEqual([
        ['area', 'web'],
        ['ui', 'true'],
    ]);
});
