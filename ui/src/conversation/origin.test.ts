import { describe, expect, it } from 'vitest';
import { originOf } from './origin';
import type { Item } from '../lib/wire';

const of = (fields: Record<string, unknown>) => originOf({ fields } as unknown as Item);

describe('who wrote a message', () => {
    it('is a person only when it says so', () => {
        expect(of({ origin: 'human:cli' })).toEqual({ is: 'person' });
        for (const origin of ['', 'human', 'humanoid:x', 'agent:team/human:1', undefined])
            expect(of({ origin }).is).toBe('other');
    });

    it('is another agent, Paseo itself, or another person', () => {
        const id = '3f2a0000-0000-4000-8000-000000000000';
        expect(of({ origin: `session:${id}` })).toEqual({ is: 'agent', session: id });
        expect(of({ origin: 'daemon' })).toEqual({ is: 'paseo' });
        expect(of({ origin: 'seat:t/1' })).toEqual({ is: 'other', name: 'seat:t/1' });
        expect(of({})).toEqual({ is: 'other', name: 'unknown sender' });
    });
});
