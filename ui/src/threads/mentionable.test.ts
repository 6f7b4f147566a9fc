import { expect, it } from 'vitest';
import type { Participant } from '../lib/wire';
import { mentionable } from './mentionable';

const participant = (id: string, profile: Participant['profile']): Participant => ({
    id,
    profile,
    invited_by: 'user',
    invited_at: '2026-01-01T00:00:00Z',
});
const ALL = [
    participant('codex-1', { client: 'codex', model: 'gpt', nickname: 'Ada', roles: ['planner'] }),
    participant('claude-1', { client: 'claude', model: 'default' }),
];
const found = (query: string) => mentionable(ALL, query, () => 'offline').map(({ value }) => value);

it('finds participants by id, nickname and role, in any case', () => {
    expect(found('')).toEqual(['codex-1', 'claude-1']);
    expect(found('c')).toEqual(['codex-1', 'claude-1']);
    expect(found('ada')).toEqual(['codex-1']);
    expect(found('PLAN')).toEqual(['codex-1']);
    expect(found('nobody')).toEqual([]);
});

it('says what each is and does', () => {
    expect(mentionable(ALL, 'a', () => 'thinking')).toEqual([
        { value: 'codex-1', title: 'Ada (codex-1)', detail: 'thinking · codex · gpt · planner' },
    ]);
});
