import { expect, it } from 'vitest';
import { described } from './switches';

it('describes what the daemon has, in a fixed order', () => {
    const shown = described({ perm_todo: true, perm_summon: false, perm_send_to_tab: true });
    expect(shown.map(({ key, on }) => [key, on])).toEqual([
        ['perm_send_to_tab', true],
        ['perm_summon', false],
        ['perm_todo', true],
    ]);
    expect(shown[0]).toMatchObject({ label: 'Message other tabs' });
});

it('shows settings of a newer daemon by their key', () => {
    expect(described({ perm_zebra: true, perm_land: false, perm_todo: false })).toMatchObject([
        { key: 'perm_todo' },
        { key: 'perm_land', label: 'perm_land', on: false },
        { key: 'perm_zebra', label: 'perm_zebra', on: true },
    ]);
});
