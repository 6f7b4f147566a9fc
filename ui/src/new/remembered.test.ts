import { expect, it } from 'vitest';
import { USUAL } from './options';
import {
    formerPrompt,
    lastChoice,
    MOST_PROJECTS,
    NOTHING,
    noted,
    read,
    written,
    type Remembered,
} from './remembered';

const KEPT: Remembered = {
    directory: '/a',
    options: { ...USUAL, provider: 'pi', base: 'main' },
    projects: [['/a', { ...USUAL, permissions: 'ask' }]],
};

it('reads what it wrote', () => {
    expect(read(written(KEPT))).toEqual(KEPT);
});

it('takes nothing that it did not write', () => {
    for (const text of [null, '', '[]', '{"version":2,"prompt":"x"}', 'null'])
        expect(read(text)).toEqual(NOTHING);
    const odd = {
        version: 1,
        directory: 5,
        options: { permissions: 'root', provider: 'pi', more: 1 },
        projects: [7],
    };
    expect(read(JSON.stringify(odd))).toEqual({ ...NOTHING, options: { ...USUAL, provider: 'pi' } });
});

it('finds the prompt that an earlier version kept', () => {
    expect(formerPrompt('{"version":1,"prompt":"look around"}')).toBe('look around');
    for (const text of [null, '', 'null', '{"prompt":5}', written(KEPT)]) expect(formerPrompt(text)).toBe('');
});

it('remembers the last choice in each project, of the newest projects', () => {
    let { projects } = KEPT;
    projects = noted(projects, '/a', { ...USUAL, provider: 'pi', base: 'main' });
    expect(projects).toHaveLength(1);
    expect(lastChoice(projects, '/a')).toEqual({ ...USUAL, provider: 'pi' });
    expect(lastChoice(projects, '/b')).toBeUndefined();
    for (let at = 0; at < MOST_PROJECTS; at++) projects = noted(projects, `/many/${at}`, USUAL);
    expect(projects).toHaveLength(MOST_PROJECTS);
    expect(lastChoice(projects, '/a')).toBeUndefined();
});
