import { describe, expect, it } from 'vitest';
import type { Provider } from '../../lib/wire';
import { blamed, isWrong, missing, read, readyOf, type Typed } from './provider';

const TYPED: Typed = {
    name: ' helper ',
    program: '/opt/helper',
    argumentLines: '--acp\n\ntwo words \n',
    preset: '',
    mode: '',
    asks: false,
    variableLines: 'A=1\n\nB=x=y\n',
};

describe('a provider that is to be added', () => {
    it('is read as it was typed', () => {
        expect(read(TYPED)).toEqual({
            name: 'helper',
            command: ['/opt/helper', '--acp', 'two words '],
            preset: null,
            mode: null,
            asks: false,
            environment: { A: '1', B: 'x=y' },
        });
    });

    it('has a value for each variable', () => {
        expect(read({ ...TYPED, variableLines: 'A=1\nB' })).toEqual({
            field: 'variables',
            why: 'line 2: expected NAME=VALUE',
        });
    });
});

describe('a refusal', () => {
    const sent = read({ ...TYPED, name: 'claude', program: './x', variableLines: 'PASEO_HOME=1' });
    if (isWrong(sent)) throw new Error(sent.why);

    it('is shown at the field whose text it quotes', () => {
        for (const [why, field] of [
            ['`claude` is a built-in provider; choose another name', 'name'],
            ['`./x` is a relative path', 'program'],
            ['invalid variable name `PASEO_HOME`', 'variables'],
            ['limit reached: 100 providers have been added', undefined],
        ] as const)
            expect(blamed(why, sent)).toEqual({ field, why });
    });

    it('is about the form where two fields have that text', () => {
        const why = '`claude` is not executable';
        expect(blamed(why, { ...sent, command: ['claude'] }).field).toBeUndefined();
    });
});

it('names what a provider lacks, and words that it does not know', () => {
    const able: Provider['capabilities'] = {
        steer: false,
        resume: true,
        models: true,
        efforts: [],
        permissions: ['full'],
        mcp: true,
        thinking: true,
        cost: true,
        own_turns: true,
        terminal: true,
        attachments: ['image', 'text'],
        lifetime: 'pipe',
    };
    const provider: Provider = { name: 'x', readiness: 'ready', default: false, capabilities: able };
    expect(missing(provider)).toEqual([
        'steering',
        'efforts',
        'PDF documents',
        'permission mode ask',
        'permission mode read-only',
    ]);
    expect(readyOf(provider).word).toBe('Ready');
    expect(readyOf({ ...provider, readiness: 'resting' as 'ready' })).toEqual({
        tone: 'off',
        word: 'resting',
    });
});
