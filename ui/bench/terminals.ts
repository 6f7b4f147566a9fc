import { spawn, type ChildProcess } from 'node:child_process';
import type { Page } from '@playwright/test';
import type { Daemon } from '../tests/daemon';

declare global {
    interface Window {
        /** How many milliseconds after it was printed each mark came, for each terminal. */
        late?: Map<string, number[]>;
    }
}

/** What a terminal prints ten times a second: the time in microseconds, on a line of its own so that tmux sends all of it. */
export const MARKS = 'while :; do printf "@%s@\\n" "${EPOCHREALTIME/[^0-9]/}"; sleep 0.1; done';
/** What a terminal prints without end. */
export const FLOOD = 'exec yes "a terminal that prints as fast as it can"';

/** Notes in a page how late marks come by each WebSocket. Uses nothing from outside of itself. */
export function watchMarks(): void {
    const late = new Map<string, number[]>();
    window.late = late;
    const Plain = window.WebSocket;
    window.WebSocket = class extends Plain {
        constructor(url: string | URL, protocols?: string | string[]) {
            super(url, protocols);
            const decoder = new TextDecoder();
            const times: number[] = [];
            late.set(new URL(this.url).pathname, times);
            let rest = '';
            this.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
                if (!(data instanceof ArrayBuffer)) return;
                const now = performance.timeOrigin + performance.now();
                const text = rest + decoder.decode(data, { stream: true });
                let end = 0;
                for (const match of text.matchAll(/@(\d{16})@/g)) {
                    times.push(now - Number(match[1]) / 1000);
                    end = match.index + match[0].length;
                }
                rest = text.slice(Math.max(end, text.length - 17));
            });
        }
    };
}

/** Forgets what was noted in a page so far. */
export async function forgetMarks(page: Page): Promise<void> {
    await page.evaluate(() => window.late?.forEach((times) => times.splice(0)));
}

/** Returns how late marks came on a page, in milliseconds. */
export async function marks(page: Page): Promise<number[]> {
    return page.evaluate(() => [...(window.late?.values() ?? [])].flat());
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
