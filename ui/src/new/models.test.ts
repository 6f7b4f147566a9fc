import { expect, it } from 'vitest';
import { effortsOf, fitting } from './models';

it('models are offered by id and by name, whatever the case', () => {
    const all = [{ value: 'fast-1', detail: 'Quick One' }, { value: 'deep-2' }];
    expect(fitting(all, '')).toEqual(all);
    expect(fitting(all, ' QUICK')).toEqual([all[0]]);
    expect(fitting(all, 'p-2')).toEqual([all[1]]);
    expect(fitting(all, 'other')).toEqual([]);
});

it('efforts are those of the chosen model, else those of its provider', () => {
    const provider = { capabilities: { efforts: ['low', 'high'] } };
    const models = [
        { id: 'deep', default: true, efforts: ['high', 'xhigh'] },
        { id: 'plain', default: false, efforts: [] },
    ];
    expect(effortsOf(provider, models, ' deep ')).toEqual(['high', 'xhigh']);
    expect(effortsOf(provider, models, '')).toEqual(['high', 'xhigh']);
    expect(effortsOf(provider, models, 'plain')).toEqual(['low', 'high']);
    expect(effortsOf(provider, models, 'typed')).toEqual(['low', 'high']);
    expect(effortsOf(undefined, [], '')).toEqual([]);
});
