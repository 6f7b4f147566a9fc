import { Backoff, Paseo, PaseoError, type FollowOptions, type Frame } from '@paseo/client';
import { afterEach, expect, test, vi } from 'vitest';
import { events, fake, refusal, silent, type Asked } from './fake.js';

const change = (id: number, type: string) =>
    `id: ${id}\nevent: event\ndata: {"seq":${id},"change":{"type":"${type}"}}\n\n`;
/** Answers never, until it is given up. */
const never = ({ signal }: Asked) =>
    new Promise<Response>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
    );
const quick = () => new Backoff({ first: 0 });

function follow(replies: Parameters<typeof fake>, options: Partial<FollowOptions> = {}) {
    const { fetch, asked } = fake(...replies);
    const states: string[] = [];
    const onState = (state: string) => states.push(state);
    const stream = new Paseo({ fetch }).events({
        after: 7,
        topics: ['sessions'],
        backoff: quick(),
        onState,
        ...options,
    });
    const afters = () => asked.map(({ url }) => new URLSearchParams(url.split('?')[1]).get('after'));
    return { stream, asked, afters, states };
}

/** Reads until a number of frames is there, or the stream ends. */
async function read(stream: AsyncIterable<Frame>, most: number): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of stream) if (frames.push(frame) === most) break;
    return frames;
}

const seqs = (frames: Frame[]) => frames.map(({ seq }) => seq);

test('a lost connection is taken up where it ended, without a gap or a duplicate', async () => {
    const broken = new Response(
        new ReadableStream({ pull: (controller) => controller.error(new TypeError('reset')) }),
    );
    const replies = [events(change(8, 'created'), change(9, 'closed')), new TypeError('refused'), broken];
    const { stream, afters, states } = follow([
        ...replies,
        refusal(503, 'overloaded'),
        silent(change(10, 'closed')),
    ]);
    expect(seqs(await read(stream, 3))).toEqual([8, 9, 10]);
    expect(afters()).toEqual(['7', '9', '9', '9', '9']);
    const lost = ['closed', 'waiting'];
    expect(states).toEqual(['open', ...lost, ...lost, ...lost, ...lost, 'open', 'closed']);
});

test('a daemon with too many connections is asked again', async () => {
    const { stream, afters } = follow([refusal(429, 'too_many_attempts'), silent(change(8, 'created'))]);
    expect(seqs(await read(stream, 1))).toEqual([8]);
    expect(afters()).toEqual(['7', '7']);
});

test('the address has the topics, and `ui` only when it is wanted', async () => {
    const { stream, asked } = follow([silent(change(8, 'created'))], {
        topics: ['sessions', 'session:x'],
        ui: true,
    });
    await read(stream, 1);
    expect(asked[0]?.url).toBe('/api/stream?after=7&topics=sessions%2Csession%3Ax&ui=true');
    const other = follow([silent(change(8, 'created'))]);
    await read(other.stream, 1);
    expect(other.asked[0]?.url).toBe('/api/stream?after=7&topics=sessions');
});

test('heartbeats are nothing, and an id alone moves the cursor', async () => {
    const { stream, afters } = follow([
        events(': paseo\n\n', ':\n\n', 'id: 300\n\n'),
        silent(change(301, 'created')),
    ]);
    expect(seqs(await read(stream, 1))).toEqual([301]);
    expect(afters()).toEqual(['7', '300']);
});

test('frames that arrive together are taken together', async () => {
    const { stream, afters } = follow([
        events(change(8, 'created') + change(9, 'closed')),
        silent(change(10, 'closed')),
    ]);
    const seen: unknown[] = [];
    const drawn: number[] = [];
    await stream.forEach(({ seq }) => {
        seen.push(seq);
        queueMicrotask(() => drawn.push(seen.length));
        if (seq === 10) stream.close();
    });
    expect(seen).toEqual([8, 9, 10]);
    expect(drawn).toEqual([2, 2, 3]);
    expect(afters()).toEqual(['7', '9']);
});

test('one of several frames that cannot be taken comes again, and none before it', async () => {
    const both = silent(change(8, 'created') + change(9, 'closed'));
    const { stream, afters } = follow([both, silent(change(9, 'closed'))]);
    const failing = stream.forEach(({ seq }) => {
        if (seq === 9) throw new Error('cannot show it');
    });
    await expect(failing).rejects.toThrow('cannot show it');
    expect(seqs(await read(stream, 1))).toEqual([9]);
    expect(afters()).toEqual(['7', '8']);
});

test('live text has no position', async () => {
    const piece = 'event: live\ndata: {"text":"Hel"}\n\n';
    const { stream } = follow([silent(piece)]);
    expect(await read(stream, 1)).toEqual([{ type: 'live', seq: undefined, frame: { text: 'Hel' } }]);
    expect(stream.cursor).toBe(7);
});

test('a frame that made the loop throw comes again', async () => {
    const { stream, afters } = follow([
        silent(change(8, 'created'), change(9, 'closed')),
        silent(change(9, 'closed')),
    ]);
    const failing = async () => {
        for await (const { seq } of stream) if (seq === 9) throw new Error('cannot show it');
    };
    await expect(failing()).rejects.toThrow('cannot show it');
    expect(stream.cursor).toBe(8);
    expect(seqs(await read(stream, 1))).toEqual([9]);
    expect(afters()).toEqual(['7', '8']);
});

test('words of a newer daemon are said to be unknown, and do no harm', async () => {
    const team = 'id: 10\nevent: team\ndata: {"change":{"type":"toString"}}\n\n';
    const other = 'id: 11\nevent: dream\ndata: {"of":"sheep"}\n\n';
    const { stream } = follow([silent(change(8, 'created'), change(9, 'dreamt'), team, other)]);
    const frames = await read(stream, 4);
    expect(frames.map((frame) => ('known' in frame ? frame.known : undefined))).toEqual([
        true,
        false,
        false,
        undefined,
    ]);
    expect(frames[3]).toEqual({ type: 'unknown', seq: 11, name: 'dream', frame: { of: 'sheep' } });
});

test('who was too slow goes on at once', async () => {
    const slow = events(change(8, 'created'), 'event: resume\ndata: {"after":500}\n\n');
    const { stream, afters, states } = follow([slow, silent(change(501, 'closed'))]);
    expect(seqs(await read(stream, 2))).toEqual([8, 501]);
    expect(afters()).toEqual(['7', '500']);
    expect(states).not.toContain('waiting');
});

test('who may not see it any more is told why', async () => {
    const ended = events(
        'event: ended\ndata: {"code":"unauthenticated","message":"the token was revoked","hint":null}\n\n',
    );
    const { stream, asked } = follow([ended]);
    const error: unknown = await read(stream, 1).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(PaseoError);
    expect(error).toMatchObject({ code: 'unauthenticated', message: 'the token was revoked', status: 0 });
    expect(asked.length).toBe(1);
});

test.each([400, 401, 403, 404])('a refusal with %d ends the iteration', async (status) => {
    const { stream, asked } = follow([refusal(status, 'not_found')]);
    await expect(read(stream, 1)).rejects.toMatchObject({ status });
    expect(asked.length).toBe(1);
});

test('other topics are followed from the cursor on', async () => {
    // What came with the last frame and was not taken comes again, if it still belongs here.
    const both = silent(change(8, 'created') + change(9, 'closed'));
    const { stream, asked, afters } = follow([both, silent(change(9, 'closed'))]);
    const seen: unknown[] = [];
    for await (const { seq } of stream) {
        seen.push(seq);
        if (seq === 9) break;
        stream.follow(['session:x']);
    }
    expect(seen).toEqual([8, 9]);
    expect(afters()).toEqual(['7', '8']);
    expect(asked[1]?.url).toContain('topics=session%3Ax');
});

test('the iteration ends when it is closed, and with the reason of its signal', async () => {
    const { stream } = follow([silent(change(8, 'created'))]);
    for await (const frame of stream) {
        expect(frame.seq).toBe(8);
        stream.close();
    }
    const stop = new AbortController();
    const other = follow([silent(change(8, 'created'))], { signal: stop.signal });
    const reading = async () => {
        for await (const frame of other.stream) stop.abort(new Error(`enough at ${frame.seq}`));
    };
    await expect(reading()).rejects.toThrow('enough at 8');
});

test('leaving the loop gives the connection up', async () => {
    const { stream, asked } = follow([silent(change(8, 'created'))]);
    await read(stream, 1);
    expect(asked[0]?.signal?.aborted).toBe(true);
});

test('the patience of its pauses can end', async () => {
    const backoff = new Backoff({ first: 1, patience: 0 });
    const { stream } = follow([new TypeError('refused')], { backoff });
    await expect(read(stream, 1)).rejects.toThrow('the daemon cannot be reached');
});

afterEach(() => void vi.useRealTimers());

test.each([
    ['after its first frame', silent(change(8, 'created'))],
    ['from the start', silent()],
    ['before it answers', never],
])('a connection that says nothing for a minute %s is given up', async (_, quiet) => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const { stream, asked } = follow([quiet, silent(change(9, 'closed'))]);
    const found = (async () => {
        for await (const { seq } of stream) if (seq === 9) return seq;
        return undefined;
    })();
    await vi.waitUntil(() => asked.length === 1);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(asked.length).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await found).toBe(9);
});
