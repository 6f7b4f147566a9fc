import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A terminal of fixed size with a shell in it, on a tmux server of its own. */
export class Terminal {
    private constructor(
        private readonly socket: string,
        private readonly env: Record<string, string>,
    ) {}

    static async open(
        folder: string,
        size: { columns: number; rows: number },
        env: Record<string, string>,
    ): Promise<Terminal> {
        const terminal = new Terminal(join(folder, 'picture.sock'), env);
        // The shell says when it is ready for the next command; nothing here sleeps.
        const ready = `tmux -S ${terminal.socket} wait-for -S ready`;
        const shell = ['bash', '--norc', '--noprofile', '-i'];
        const set = {
            ...env,
            PS1: String.raw`\n\[\e[36m\]$\[\e[0m\] `,
            PROMPT_COMMAND: ready,
            TERM: 'tmux-256color',
        };
        const variables = Object.entries(set).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
        const [columns, rows] = [String(size.columns), String(size.rows)];
        await terminal.tmux('new-session', '-d', '-x', columns, '-y', rows, ...variables, ...shell);
        await terminal.tmux('set-option', '-g', 'status', 'off');
        await terminal.prompted();
        return terminal;
    }

    /** Types a command, and waits until it has ended. */
    async type(command: string): Promise<void> {
        await this.tmux('send-keys', '-l', command);
        await this.tmux('send-keys', 'Enter');
        await this.prompted();
    }

    /** Returns what stands on the screen, with its colours. */
    screen(): Promise<string> {
        return this.tmux('capture-pane', '-e', '-p');
    }

    async close(): Promise<void> {
        await this.tmux('kill-server');
    }

    /** Waits until the shell takes input: it says so just before it draws its prompt. */
    private async prompted(): Promise<void> {
        await this.tmux('wait-for', 'ready');
        while ((await this.tmux('display-message', '-p', '#{cursor_x}')).trim() !== '2') continue;
    }

    private async tmux(...args: string[]): Promise<string> {
        // A shell gets its PATH from the client that starts it.
        const options = { env: this.env };
        const { stdout } = await run('tmux', ['-f', '/dev/null', '-S', this.socket, ...args], options);
        return stdout;
    }
}
