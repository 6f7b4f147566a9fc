import { Paseo, type Frame, type Schemas } from '@paseo/client';
import { expectTypeOf, test } from 'vitest';

const paseo = new Paseo();

/** For the compiler alone: `npm run check` fails when a type is not what this says. */
const typed = async () => {
    const { session } = await paseo.get('/api/sessions/{id}', { path: { id: 'x' } });
    expectTypeOf(session).toEqualTypeOf<Schemas['SessionView']>();
    expectTypeOf(await paseo.post('/api/login', { body: { code: '' } })).toEqualTypeOf<undefined>();
    const path = { id: 'x', ordinal: 3 };
    expectTypeOf(
        await paseo.get('/api/sessions/{id}/items/{ordinal}/text', { path }),
    ).toEqualTypeOf<string>();

    // @ts-expect-error There is no such path.
    await paseo.get('/api/session');
    // @ts-expect-error It cannot be deleted.
    await paseo.delete('/api/status');
    // @ts-expect-error The path has a parameter.
    await paseo.get('/api/sessions/{id}');
    // @ts-expect-error There is no such parameter.
    await paseo.get('/api/sessions', { query: { colour: 'red' } });
    // @ts-expect-error A body is required.
    await paseo.post('/api/sessions');
    // @ts-expect-error Rows that are brief have another type: `lines` returns it.
    await paseo.get('/api/sessions', { query: { brief: true } });
    expectTypeOf(await paseo.lines({ query: { limit: 1 } })).toEqualTypeOf<Schemas['SessionLines']>();
    // @ts-expect-error A file has no JSON: `upload` sends it.
    await paseo.post('/api/attachments');
    // @ts-expect-error Nor has a stream: `events` follows it.
    await paseo.get('/api/stream');
    // @ts-expect-error Not this one.
    await paseo.post('/api/sessions', { body: { folder: '/' } });

    for await (const page of paseo.pages('/api/sessions'))
        expectTypeOf(page).toEqualTypeOf<Schemas['SessionPage']>();
    // @ts-expect-error It comes whole.
    paseo.pages('/api/status');
};

test('the compiler knows paths, parameters, bodies and answers', () => {
    expectTypeOf(typed).returns.resolves.toBeVoid();
    expectTypeOf<Extract<Frame, { type: 'item' }>['frame']>().toEqualTypeOf<Schemas['ItemFrame']>();
});
