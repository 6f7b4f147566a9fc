import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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

const BARE = fileURLToPath(new URL('bareClients.mjs', import.meta.url));

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

/** Bare `tmux attach` clients, each of which watches the terminal of a worker. */
export class BareClients {
    private readonly process: ChildProcess;

    constructor(daemon: Daemon, workers: readonly string[]) {
        // What loads the scenes is not for it.
        this.process = fork(BARE, [daemon.terminals, ...workers], { execArgv: [] });
    }

    /** Returns how late marks came since this was asked last, in milliseconds. */
    async late(): Promise<readonly number[]> {
        this.process.send('late');
        const [late] = (await once(this.process, 'message')) as [number[]];
        return late;
    }

    async stop(): Promise<void> {
        const over = once(this.process, 'exit');
        this.process.disconnect();
        await over;
    }
}
