import { Backoff, Paseo, PaseoError, UnreachableError } from '@paseo/client';
import { describe, expect, test } from 'vitest';
import { fake, json, refusal } from './fake.js';

const AT = 'http://127.0.0.1:1';
const quick = () => new Backoff({ first: 0 });

function client(...replies: Parameters<typeof fake>) {
    const { fetch, asked } = fake(...replies);
    return { paseo: new Paseo({ url: `${AT}/`, token: 'secret', fetch }), asked };
}

async function thrown(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
        (value) => expect.fail(`it answered ${JSON.stringify(value)}`),
        (error: unknown) => error,
    );
}

describe('a request', () => {
    test('has its parameters in the address, each as one segment, and the token', async () => {
        const { paseo, asked } = client(json({ seq: 1 }));
        const path = { id: 'a/b?c' };
        expect(await paseo.get('/api/sessions/{id}/items', { path, query: { limit: 5 } })).toEqual({
            seq: 1,
        });
        expect(asked[0]?.url).toBe(`${AT}/api/sessions/a%2Fb%3Fc/items?limit=5`);
        expect(asked[0]?.headers.get('authorization')).toBe('Bearer secret');
        expect(asked[0]?.headers.get('content-type')).toBeNull();
    });

    test('needs an address where there is no page', async () => {
        const missing = new TypeError('`url` is missing: pass the one that `paseo status --json` prints');
        expect(await thrown(new Paseo().send('s', 'x'))).toEqual(missing);
        const stream = new Paseo().events({ after: 0, topics: ['sessions'] });
        expect(await thrown(stream[Symbol.asyncIterator]().next())).toEqual(missing);
        expect(() => new Paseo({ url: 'localhost:6767' })).toThrow('`localhost:6767` is not an address');
    });

    test('leaves out a parameter without a value', async () => {
        const { paseo, asked } = client(json({}));
        await paseo.get('/api/agents', { query: {} });
        expect(asked[0]?.url).toBe(`${AT}/api/agents`);
    });

    test('without a parameter of its path is not sent', async () => {
        const { paseo, asked } = client();
        const error = await thrown(paseo.get('/api/sessions/{id}', { path: { id: '' } }));
        expect(error).toEqual(new TypeError('/api/sessions/{id}: the parameter `id` is missing'));
        expect(asked).toEqual([]);
    });

    test('sends JSON, and takes JSON, text or nothing', async () => {
        const nothing = new Response(null, { status: 204 });
        const { paseo, asked } = client(
            nothing,
            new Response('words', { headers: { 'Content-Type': 'text/plain' } }),
        );
        expect(await paseo.post('/api/login', { body: { code: 'c' } })).toBeUndefined();
        expect(asked[0]).toMatchObject({ method: 'POST', body: { code: 'c' } });
        expect(asked[0]?.headers.get('content-type')).toBe('application/json');
        const path = { id: 'x', ordinal: 1 };
        expect(await paseo.get('/api/sessions/{id}/items/{ordinal}/text', { path })).toBe('words');
    });

    test('asks for the lines of a table', async () => {
        const { paseo, asked } = client(json({ sessions: [] }), json({ sessions: [] }));
        expect(await paseo.lines()).toEqual({ sessions: [] });
        await paseo.lines({ query: { project: '/a b' } });
        const queries = asked.map(({ url }) => url.split('?')[1]);
        expect(queries).toEqual(['brief=true', 'project=%2Fa+b&brief=true']);
    });

    test('uploads a file as it is', async () => {
        const { paseo, asked } = client(json({ id: 'f' }));
        const bytes = new Uint8Array([0, 255]);
        expect(await paseo.upload('a b.bin', bytes)).toEqual({ id: 'f' });
        expect(asked[0]).toMatchObject({ url: `${AT}/api/attachments?name=a+b.bin`, body: bytes });
        expect(asked[0]?.headers.get('content-type')).toBe('application/octet-stream');
    });
});

describe('an error', () => {
    test('has the code, the message and the hint of the daemon', async () => {
        const told: PaseoError[] = [];
        const { fetch } = fake(refusal(404, 'session_not_found'));
        const paseo = new Paseo({ fetch, onRefusal: (error) => told.push(error) });
        const error = await thrown(paseo.get('/api/sessions/{id}', { path: { id: 'x' } }));
        expect(error).toBeInstanceOf(PaseoError);
        expect(error).toMatchObject({ status: 404, code: 'session_not_found', isTransient: false });
        expect(error).toMatchObject({ message: 'because of session_not_found', hint: 'do something else' });
        expect(told).toEqual([error]);
    });

    test('of something between us and the daemon has the status', async () => {
        for (const body of ['<html>', 'null', '"text"']) {
            const { paseo } = client(new Response(body, { status: 502 }));
            const error = await thrown(paseo.get('/api/status'));
            expect(error).toMatchObject({ status: 502, code: 'unknown', message: 'the daemon answered 502' });
        }
    });

    test('says that the daemon cannot be reached, also when the answer breaks off', async () => {
        const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('reset')) });
        for (const reply of [new TypeError('refused'), new Response(broken)]) {
            const { paseo } = client(reply);
            const error = await thrown(paseo.get('/api/status'));
            expect(error).toBeInstanceOf(UnreachableError);
            expect((error as Error).cause).toBeInstanceOf(TypeError);
        }
    });

    test('is the caller’s own when the caller ended the request', async () => {
        const { paseo } = client(({ signal }) => Promise.reject(signal?.reason));
        const reason = new Error('enough');
        expect(await thrown(paseo.get('/api/status', { signal: AbortSignal.abort(reason) }))).toBe(reason);
    });
});

describe('a send', () => {
    test('is repeated with the same key until there is a receipt', async () => {
        const receipt = { delivery: 'd' };
        const { paseo, asked } = client(new TypeError('refused'), refusal(503, 'overloaded'), json(receipt));
        expect(await paseo.send('s', 'hello', { backoff: quick() })).toEqual(receipt);
        const keys = asked.map(({ headers }) => headers.get('idempotency-key'));
        expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
        expect(new Set(keys).size).toBe(1);
        expect(asked.map(({ body }) => body)).toEqual(Array(3).fill({ text: 'hello' }));
    });

    test('has the key of the caller, else a new one each time', async () => {
        const { paseo, asked } = client(json({}), json({}), json({}));
        await paseo.send('s', { text: 'a', verb: 'steer' }, { key: 'mine' });
        await paseo.send('s', 'b');
        await paseo.create({ directory: '/' });
        const keys = asked.map(({ headers }) => headers.get('idempotency-key'));
        expect(keys[0]).toBe('mine');
        expect(new Set(keys).size).toBe(3);
    });

    test('that is refused is not repeated', async () => {
        const { paseo, asked } = client(refusal(409, 'key_reused'));
        expect(await thrown(paseo.send('s', 'x', { backoff: quick() }))).toMatchObject({
            code: 'key_reused',
        });
        expect(asked.length).toBe(1);
    });

    test('gives up when its patience ends, and when the caller does', async () => {
        const { paseo, asked } = client(new TypeError('refused'), new TypeError('refused'));
        const backoff = new Backoff({ first: 1, patience: 1.5, random: () => 0.5 });
        expect(await thrown(paseo.send('s', 'x', { backoff }))).toBeInstanceOf(UnreachableError);
        expect(asked.length).toBe(2);

        const stop = new AbortController();
        const later = client(() => {
            setTimeout(() => stop.abort(new Error('enough')));
            throw new TypeError('refused');
        });
        const sending = later.paseo.send('s', 'x', {
            signal: stop.signal,
            backoff: new Backoff({ first: 60_000 }),
        });
        expect(await thrown(sending)).toEqual(new Error('enough'));
    });
});

describe('pages', () => {
    const rows = (next: string | null, ...names: string[]) => json({ teams: names, next });

    test('are read to the end, one when it is asked for', async () => {
        const { paseo, asked } = client(rows('b', '1'), rows('c', '2'), rows(null, '3'));
        const seen = [];
        for await (const { teams } of paseo.pages('/api/teams', { query: { limit: 1 } })) {
            seen.push(...teams);
            expect(asked.length).toBe(seen.length);
        }
        expect(seen).toEqual(['1', '2', '3']);
        expect(asked.map(({ url }) => url.split('?')[1])).toEqual([
            'limit=1',
            'limit=1&after=b',
            'limit=1&after=c',
        ]);
    });

    test('end when the caller has enough', async () => {
        const { paseo, asked } = client(rows('b', '1'));
        for await (const page of paseo.pages('/api/teams', { query: { after: 'a' } })) {
            expect(page.next).toBe('b');
            break;
        }
        expect(asked.map(({ url }) => url.split('?')[1])).toEqual(['after=a']);
    });

    test('that lead to themselves are an error, not an endless loop', async () => {
        const { paseo } = client(rows('a'), rows('a'));
        const read = async () => {
            for await (const page of paseo.pages('/api/teams')) void page;
        };
        expect(await thrown(read())).toEqual(new Error('/api/teams: the page after a leads to itself'));
    });
});
