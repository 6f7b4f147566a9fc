import { expect, it } from 'vitest';
import type { InboxRequest } from '../lib/wire';
import { goOnOf } from './goOn';

function word(kind: string, held: number): string | undefined {
    return goOnOf({ kind, held } as InboxRequest)?.word;
}

it('offers what lets the agent go on, and nothing where only an answer does', () => {
    expect(word('hold', 2)).toBe('Resume');
    expect(word('hold', 0)).toBeUndefined();
    expect(word('failure', 0)).toBe('Retry');
    expect(word('rate_limit', 1)).toBe('Retry');
    expect(goOnOf({ kind: 'failure', held: 0 } as InboxRequest)?.by).toBe('message');
    expect(goOnOf({ kind: 'failure', held: 1 } as InboxRequest)?.by).toBe('queue');
    expect(word('permission', 0)).toBeUndefined();
    expect(word('newer', 3)).toBeUndefined();
});
