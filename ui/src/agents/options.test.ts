import { describe, expect, it } from 'vitest';
import { DEFAULTS, labelKey, read, toggled, written, type ListOptions } from './options';

describe('the options of the list', () => {
    it('are read as they were written', () => {
        const options: ListOptions = {
            group: 'label:env',
            background: true,
            closed: true,
            collapsed: ['project:/a'],
        };
        expect(read(written(options))).toEqual(options);
        expect(read(written(DEFAULTS))).toEqual(DEFAULTS);
    });

    it.each([
        [null],
        [''],
        ['{}'],
        ['[]'],
        ['"project"'],
        ['{"version":2,"group":"status"}'],
        ['{"version":1,"group":"label:","background":"true","collapsed":{}}'],
        ['{"version":1,"group":{"a":1},"closed":1,"collapsed":null}'],
    ])('are as by default when %s is kept', (text) => {
        expect(read(text)).toEqual(DEFAULTS);
    });

    it('remember which groups are folded away, and not too many', () => {
        const folded = toggled(DEFAULTS, 'project:/a');
        expect(folded.collapsed).toEqual(['project:/a']);
        expect(toggled(folded, 'project:/a').collapsed).toEqual([]);
        let many = DEFAULTS;
        for (let at = 0; at < 300; at++) many = toggled(many, String(at));
        expect(many.collapsed).toHaveLength(200);
        expect(many.collapsed.at(-1)).toBe('299');
    });

    it('know the key of a label, whatever is in it', () => {
        expect(labelKey('label:a:b')).toBe('a:b');
        expect(labelKey('project')).toBeUndefined();
    });
});
