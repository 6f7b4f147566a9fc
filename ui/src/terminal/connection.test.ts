import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ofWorker, TerminalConnection, type Listener, type Socket } from './connection';
import type { ScreenFrame } from './protocol';

/** A socket that does nothing by itself. */
class FakeSocket implements Socket {
    binaryType = '';
    readyState = 1;
    onmessage: ((event: MessageEvent) => void) | null = null;
    onclose: ((event: CloseEvent) => void) | null = null;
    readonly sent: (string | Uint8Array)[] = [];

    constructor(readonly url: string) {}

    send(data: string | Uint8Array): void {
        this.sent.push(data);
    }

    close(): void {
        this.readyState = 3;
    }

    tell(data: object | Uint8Array): void {
        const text = data instanceof Uint8Array ? data.buffer : JSON.stringify(data);
        this.onmessage?.({ data: text } as MessageEvent);
    }

    end(code: number): void {
        this.onclose?.({ code } as CloseEvent);
    }

    frames(): unknown[] {
        return this.sent
            .filter((sent) => typeof sent === 'string')
            .map((sent) => JSON.parse(sent) as unknown);
    }
}

const SCREEN: ScreenFrame = { t: 'screen', epoch: 1, cols: 160, rows: 48, role: 'view', holder: null };

let sockets: FakeSocket[];
let lost: (number | null)[];
let unparsed: (() => void)[];
let connection: TerminalConnection;

beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('location', { href: 'https://paseo.example/app/agents/3f2a' });
    [sockets, lost, unparsed] = [[], [], []];
    const listener: Listener = {
        onscreen: () => {},
        onbytes: (_, parsed) => unparsed.push(parsed),
        onframe: () => {},
        onlost: (again) => lost.push(again),
    };
    connection = new TerminalConnection(ofWorker('red-1'), listener, (url) => {
        const socket = new FakeSocket(url);
        sockets.push(socket);
        return socket;
    });
    connection.open();
});

afterEach(() => {
    connection.close();
    vi.unstubAllGlobals();
    vi.useRealTimers();
});

function bytes(count: number): Uint8Array {
    return new Uint8Array(count + 1);
}

test('the socket is on the host of the page', () => {
    expect(sockets[0]?.url).toBe('wss://paseo.example/api/workers/red-1/terminal');
});

test('what is drawn is acknowledged, each 8 KB or 50 ms', () => {
    const [socket] = sockets;
    socket?.tell(SCREEN);
    socket?.tell(bytes(5000));
    socket?.tell(bytes(5000));
    expect(socket?.sent).toEqual([]);
    unparsed[0]?.();
    unparsed[1]?.();
    expect(socket?.frames()).toEqual([{ t: 'ack', epoch: 1, n: 10_000 }]);
    socket?.tell(bytes(10));
    unparsed[2]?.();
    vi.advanceTimersByTime(49);
    expect(socket?.frames()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(socket?.frames()[1]).toEqual({ t: 'ack', epoch: 1, n: 10_010 });
});

test('what belongs to an earlier screen is not acknowledged', () => {
    const [socket] = sockets;
    socket?.tell(SCREEN);
    socket?.tell(bytes(9000));
    socket?.tell({ ...SCREEN, epoch: 2 });
    unparsed[0]?.();
    vi.advanceTimersByTime(1000);
    expect(socket?.frames()).toEqual([]);
    socket?.tell(bytes(9000));
    unparsed[1]?.();
    expect(socket?.frames()).toEqual([{ t: 'ack', epoch: 2, n: 9000 }]);
});

test('a lost connection comes back, later each time, until there is a screen again', () => {
    for (const wait of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
        sockets.at(-1)?.end(1006);
        expect(lost.at(-1)).toBe(wait);
        vi.advanceTimersByTime(wait);
    }
    expect(sockets).toHaveLength(8);
    sockets.at(-1)?.tell(SCREEN);
    sockets.at(-1)?.end(1001);
    expect(lost.at(-1)).toBe(250);
});

test.each([4401, 4404])('there is nothing to come back to after %d', (code) => {
    sockets[0]?.end(code);
    vi.advanceTimersByTime(60_000);
    expect([lost, sockets.length]).toEqual([[null], 1]);
});

test('who closes it is not brought back', () => {
    connection.close();
    sockets[0]?.end(1000);
    vi.advanceTimersByTime(60_000);
    expect([lost, sockets.length]).toEqual([[], 1]);
});

test('long keys are sent in parts, and long texts are not pasted', () => {
    connection.keys('x'.repeat(5000));
    expect(sockets[0]?.sent.map((sent) => sent.length)).toEqual([4097, 905]);
    expect(connection.paste('é'.repeat(25 * 1024))).toBe(false);
    expect(connection.paste('hello')).toBe(true);
    expect(sockets[0]?.frames()).toEqual([{ t: 'paste', text: 'hello' }]);
});

test('bytes are sent as they are, and text as UTF-8', () => {
    connection.open();
    connection.bytes(Uint8Array.of(0x1b, 0xc8));
    connection.keys('\xc8');
    expect(sockets[0]?.sent).toEqual([Uint8Array.of(0, 0x1b, 0xc8), Uint8Array.of(0, 0xc3, 0x88)]);
});
