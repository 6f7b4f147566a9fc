import { Paseo, type Frame, type SessionView } from '@paseo/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Daemon } from '../../../tests/daemon.js';

let daemon: Daemon;
let paseo: Paseo;

beforeAll(async () => {
    daemon = await Daemon.start();
    paseo = new Paseo({ url: daemon.url, token: await daemon.secret() });
});

afterAll(() => daemon.stop());

async function created(name?: string): Promise<SessionView> {
    return (await paseo.create({ directory: daemon.work, name: name ?? null })).session;
}

/** Sends a message and returns everything that happens until its turn ends. */
async function told(session: string, text: string, attachments: string[] = []): Promise<Frame[]> {
    const { seq } = await paseo.send(session, { text, attachments });
    const frames: Frame[] = [];
    for await (const frame of paseo.events({ after: seq, topics: [`session:${session}`] })) {
        frames.push(frame);
        if (frame.type === 'event' && frame.frame.change.type === 'turn_ended') return frames;
    }
    throw new Error('the stream ended before the turn');
}

function answers(frames: Frame[]): (string | null | undefined)[] {
    const items = frames.flatMap((frame) => (frame.type === 'item' ? frame.frame.item : []));
    return items.filter(({ kind }) => kind === 'assistant_text').map(({ text }) => text);
}

test('a message is followed to its answer', async () => {
    const { id } = await created();
    const frames = await told(id, '<<stream 1ms Good morning>> <<say Bye>>');
    expect(answers(frames)).toEqual(['Good morning', 'Bye']);
    const end = frames.at(-1);
    expect(end).toMatchObject({
        frame: { session: id, change: { type: 'turn_ended', outcome: 'completed' } },
    });
    const seqs = frames.flatMap(({ seq }) => seq ?? []);
    expect(seqs).toEqual([...new Set(seqs)].sort((one, other) => one - other));
    expect(frames.every((frame) => frame.type !== 'unknown' && (!('known' in frame) || frame.known))).toBe(
        true,
    );
});

test('a message that is sent again with its key is stored once', async () => {
    const { id } = await created();
    const first = await paseo.send(id, '<<say once>>', { key: 'a key' });
    expect((await paseo.send(id, '<<say once>>', { key: 'a key' })).delivery).toBe(first.delivery);
    await expect(paseo.send(id, '<<say twice>>', { key: 'a key' })).rejects.toMatchObject({
        code: 'key_reused',
    });
});

test('what happens while the daemon is away is not missed', async () => {
    const { id } = await created();
    const { seq } = await paseo.send(id, '<<say before>>');
    const said: unknown[] = [];
    const stream = paseo.events({ after: seq, topics: [`session:${id}`] });
    for await (const { type, frame } of stream) {
        if (type !== 'item' || frame.item.kind !== 'assistant_text') continue;
        said.push(frame.item.text);
        if (said.length === 2) break;
        await daemon.paseo('down');
        await daemon.paseo('up');
        await paseo.send(id, '<<say after>>');
    }
    expect(said).toEqual(['before', 'after']);
});

test('an error says what is wrong', async () => {
    const none = paseo.get('/api/sessions/{id}', { path: { id: 'ffff' } });
    await expect(none).rejects.toMatchObject({ name: 'PaseoError', status: 404, code: 'not_found' });
    const beyond = paseo.events({ after: 1_000_000, topics: ['sessions'] });
    const first = beyond[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
    const stranger = new Paseo({ url: daemon.url, token: 'wrong' });
    await expect(stranger.get('/api/whoami')).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
});

test('a list is read page by page', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const name of names) await created(name);
    const sizes: number[] = [];
    const seen: SessionView[] = [];
    for await (const { sessions } of paseo.pages('/api/sessions', { query: { limit: 2 } })) {
        sizes.push(sessions.length);
        seen.push(...sessions);
    }
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBe(2);
    expect(seen.map(({ name }) => name).filter((name) => names.includes(name ?? ''))).toEqual(
        names.reverse(),
    );
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
});

test('a file goes with a message, and comes back', async () => {
    const text = new TextEncoder().encode('the words of the file\n');
    const file = await paseo.upload('words.txt', text);
    const { id } = await created();
    const said = answers(await told(id, 'read it', [file.id])).join('\n');
    expect(said).toContain(`Attached: words.txt (text/plain, ${text.length} bytes`);
    expect(await (await paseo.download(id, file.id)).text()).toBe('the words of the file\n');
});
