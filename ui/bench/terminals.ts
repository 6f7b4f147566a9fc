import { spawn, type ChildProcess } from 'node:child_process';
import type { Page } from '@playwright/test';
import type { Daemon } from '../tests/daemon';

/** What a page got of a terminal. */
interface Received {
    /** How many milliseconds after it was printed each mark came. */
    readonly late: number[];
    bytes: number;
}

declare global {
    interface Window {
        /** By the path of the WebSocket. */
        received?: Map<string, Received>;
    }
}

/** What a terminal prints ten times a second: the time in microseconds, on a line of its own so that tmux sends all of it. */
export const MARKS = 'while :; do printf "@%s@\\n" "${EPOCHREALTIME/[^0-9]/}"; sleep 0.1; done';
/** What a terminal prints without end. */
export const FLOOD = 'exec yes "a terminal that prints as fast as it can"';

/** Notes in a page how late marks come by each WebSocket. Uses nothing from outside of itself. */
export function watchMarks(): void {
    const received = new Map<string, Received>();
    window.received = received;
    const Plain = window.WebSocket;
    window.WebSocket = class extends Plain {
        constructor(url: string | URL, protocols?: string | string[]) {
            super(url, protocols);
            const decoder = new TextDecoder();
            const own: Received = { late: [], bytes: 0 };
            received.set(new URL(this.url).pathname, own);
            let rest = '';
            this.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
                if (!(data instanceof ArrayBuffer)) return;
                const now = performance.timeOrigin + performance.now();
                own.bytes += data.byteLength;
                const text = rest + decoder.decode(data, { stream: true });
                let end = 0;
                for (const match of text.matchAll(/@(\d{16})@/g)) {
                    own.late.push(now - Number(match[1]) / 1000);
                    end = match.index + match[0].length;
                }
                rest = text.slice(Math.max(end, text.length - 17));
            });
        }
    };
}

/** Forgets what was received so far. */
export async function forgetMarks(page: Page): Promise<void> {
    await page.evaluate(() =>
        window.received?.forEach((each) => {
            each.late.splice(0);
            each.bytes = 0;
        }),
    );
}

/** Returns how late marks came on a page, in milliseconds. */
export async function marks(page: Page): Promise<number[]> {
    return page.evaluate(() => [...(window.received?.values() ?? [])].flatMap(({ late }) => late));
}

/** Returns the path of the terminal of which a page got the most. */
export async function busiest(page: Page): Promise<string | undefined> {
    return page.evaluate(
        () =>
            [...(window.received?.entries() ?? [])]
                .toSorted(([, one], [, other]) => other.bytes - one.bytes)
                .at(0)?.[0],
    );
}

/** A bare `tmux attach` that watches the terminal of a worker. */
export class BareClient {
    readonly late: number[] = [];
    private readonly process: ChildProcess;

    constructor(daemon: Daemon, worker: string) {
        const attach = `tmux -S ${daemon.terminals} attach -t =${worker}: -f read-only,ignore-size`;
        const env = { ...process.env, TERM: 'xterm-256color', TMUX: '' };
        this.process = spawn('script', ['-q', '-f', '-c', attach, '/dev/null'], {
            env,
            stdio: ['pipe', 'pipe', 'ignore'],
        });
        let rest = '';
        this.process.stdout?.on('data', (bytes: Buffer) => {
            const now = performance.timeOrigin + performance.now();
            const text = rest + bytes.toString('latin1');
            let end = 0;
            for (const match of text.matchAll(/@(\d{16})@/g)) {
                this.late.push(now - Number(match[1]) / 1000);
                end = match.index + match[0].length;
            }
            rest = text.slice(Math.max(end, text.length - 17));
        });
    }

    async stop(): Promise<void> {
        const over = ended(this.process);
        this.process.kill('SIGTERM');
        await over;
    }
}

function ended(child: ChildProcess): Promise<void> {
    return new Promise((resolve) => child.once('close', () => resolve()));
}
