import {
    BYTES,
    GONE,
    MOST_KEYS,
    MOST_PASTED,
    PROTOCOL,
    REVOKED,
    type ClientFrame,
    type ScreenFrame,
    type ServerFrame,
    type Size,
} from './protocol';

/** As much of a WebSocket as is used here. */
export interface Socket {
    binaryType: string;
    readonly readyState: number;
    onmessage: ((event: MessageEvent) => void) | null;
    onclose: ((event: CloseEvent) => void) | null;
    send(data: string | Uint8Array<ArrayBuffer>): void;
    close(code?: number): void;
}

export interface Listener {
    /** A new screen begins: what follows draws all of it. */
    onscreen(frame: ScreenFrame): void;
    /** Output. `parsed` is called once it is drawn. */
    onbytes(bytes: Uint8Array, parsed: () => void): void;
    onframe(frame: Exclude<ServerFrame, ScreenFrame>): void;
    /** The connection is lost, and another is tried after so many milliseconds; `null`: never. */
    onlost(again: number | null, code: number): void;
}

/** Drawn output is acknowledged after so many bytes or milliseconds. */
const ACK_BYTES = 8 * 1024;
const ACK_AFTER = 50;
const FIRST_WAIT = 250;
const LAST_WAIT = 5000;
const OPEN = 1;

/**
 * The connection to one terminal. It comes back by itself: there is nothing to be resumed, a new connection begins with
 * the whole screen. How much may be on its way is decided by the daemon, from what is acknowledged here.
 */
export class TerminalConnection {
    private socket: Socket | undefined;
    private epoch = 0;
    /** Bytes of the screen that were drawn, and those that the daemon knows of. */
    private drawn = 0;
    private acknowledged = 0;
    private acking: ReturnType<typeof setTimeout> | undefined;
    private retrying: ReturnType<typeof setTimeout> | undefined;
    private wait = FIRST_WAIT;

    constructor(
        /** The route of the API that is its WebSocket. */
        private readonly path: string,
        private readonly listener: Listener,
        private readonly make: (url: string) => Socket = (url) => new WebSocket(url, PROTOCOL),
    ) {}

    open(): void {
        if (this.socket) return;
        clearTimeout(this.retrying);
        const socket = this.make(address(this.path));
        this.socket = socket;
        socket.binaryType = 'arraybuffer';
        socket.onmessage = ({ data }) => {
            if (this.socket === socket) this.received(data as string | ArrayBuffer);
        };
        socket.onclose = ({ code }) => {
            if (this.socket !== socket) return;
            this.forget();
            const again = code === REVOKED || code === GONE ? null : this.wait;
            if (again !== null) {
                this.wait = Math.min(LAST_WAIT, this.wait * 2);
                this.retrying = setTimeout(() => this.open(), again);
            }
            this.listener.onlost(again, code);
        };
    }

    close(): void {
        clearTimeout(this.retrying);
        const { socket } = this;
        this.forget();
        socket?.close(1000);
    }

    take(size: Size | undefined, force: boolean): void {
        this.tell({ t: 'take', fit: size !== undefined, cols: 0, rows: 0, ...size, force });
    }

    release(): void {
        this.tell({ t: 'release' });
    }

    resize({ cols, rows }: Size): void {
        this.tell({ t: 'size', cols, rows });
    }

    redraw(): void {
        this.tell({ t: 'redraw' });
    }

    /** Pastes a text; returns whether it is short enough. */
    paste(text: string): boolean {
        if (new TextEncoder().encode(text).length > MOST_PASTED) return false;
        this.tell({ t: 'paste', text });
        return true;
    }

    /** Types. */
    keys(text: string): void {
        this.bytes(new TextEncoder().encode(text));
    }

    /** Sends what is typed as it is. */
    bytes(bytes: Uint8Array): void {
        for (let from = 0; from < bytes.length; from += MOST_KEYS) {
            const part = bytes.subarray(from, from + MOST_KEYS);
            const frame = new Uint8Array(part.length + 1);
            frame[0] = BYTES;
            frame.set(part, 1);
            if (this.socket?.readyState === OPEN) this.socket.send(frame);
        }
    }

    private received(data: string | ArrayBuffer): void {
        if (typeof data !== 'string') {
            const epoch = this.epoch;
            const bytes = new Uint8Array(data, 1);
            this.listener.onbytes(bytes, () => this.parsed(epoch, bytes.length));
            return;
        }
        const frame = JSON.parse(data) as ServerFrame;
        if (frame.t !== 'screen') {
            this.listener.onframe(frame);
            return;
        }
        this.wait = FIRST_WAIT;
        this.epoch = frame.epoch;
        this.drawn = this.acknowledged = 0;
        this.listener.onscreen(frame);
    }

    private parsed(epoch: number, bytes: number): void {
        // What belongs to an earlier screen is counted nowhere any more.
        if (epoch !== this.epoch || !this.socket) return;
        this.drawn += bytes;
        if (this.drawn - this.acknowledged >= ACK_BYTES) this.acknowledge();
        else this.acking ??= setTimeout(() => this.acknowledge(), ACK_AFTER);
    }

    private acknowledge(): void {
        clearTimeout(this.acking);
        this.acking = undefined;
        if (this.drawn === this.acknowledged) return;
        this.acknowledged = this.drawn;
        this.tell({ t: 'ack', epoch: this.epoch, n: this.drawn });
    }

    private tell(frame: ClientFrame): void {
        if (this.socket?.readyState === OPEN) this.socket.send(JSON.stringify(frame));
    }

    private forget(): void {
        clearTimeout(this.acking);
        this.acking = undefined;
        this.socket = undefined;
        // Epochs of another connection begin anew.
        this.epoch = 0;
    }
}

/** Returns the route of a worker's terminal. */
export function ofWorker(name: string): string {
    return `/api/workers/${encodeURIComponent(name)}/terminal`;
}

/** Returns the route of the person's own shell beside an agent. */
export function ofShell(session: string): string {
    return `/api/sessions/${encodeURIComponent(session)}/shell`;
}

function address(path: string): string {
    const url = new URL(path, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    return url.href;
}
