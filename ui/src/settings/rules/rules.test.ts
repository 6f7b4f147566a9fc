import { expect, it } from 'vitest';
import type { Rule } from '../../lib/wire';
import { afterwards, grouped, reach, subject } from './rules';

function rule(id: string, project: string, allow: boolean, covers = 'the command `ls`'): Rule {
    return { id, project, allow, covers, tool: 'Bash' };
}

it('groups by project, with denials first', () => {
    const groups = grouped([rule('a', '/b', true), rule('b', '/a', true), rule('c', '/b', false)]);
    expect(groups.map(({ project, rules }) => [project, rules.map(({ id }) => id)])).toEqual([
        ['/a', ['b']],
        ['/b', ['c', 'a']],
    ]);
});

it('says that a denial reaches further than a permission', () => {
    expect(reach(rule('a', '/a', true))).toContain('tool Bash');
    expect(reach(rule('a', '/a', false))).toContain('any tool');
    expect(afterwards(rule('a', '/a', true))).not.toBe(afterwards(rule('a', '/a', false)));
});

it('hides nothing', () => {
    expect(subject(rule('a', '/a', true, 'the command `a\u202eb`'))).toBe('the command `a\\u{202e}b`');
});
