import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BUILT = fileURLToPath(new URL('../../target/debug/paseo', import.meta.url));
const EDITOR = fileURLToPath(new URL('fakes/editor.mjs', import.meta.url));
const BINARY = resolve(process.env['PASEO_BIN'] ?? BUILT);

/** What tests look at of an agent. */
interface Inspected {
    handle: string;
    status: string;
    held: number;
    hold: string;
}

interface Listed {
    id: string;
    name: string | null;
    handle: string;
    status: string;
}

/** A daemon of its own: own home, own port, agents without a model. */
export class Daemon {
    private token: string | undefined;

    private constructor(
        private readonly root: string,
        private readonly listen: string,
        private readonly folder: string,
    ) {}

    static async start(folder = 'work'): Promise<Daemon> {
        const root = await mkdtemp(join(tmpdir(), 'paseo-ui-'));
        const daemon = new Daemon(root, `127.0.0.1:${await freePort()}`, folder);
        await mkdir(daemon.work);
        await daemon.paseo('up');
        return daemon;
    }

    /** Joins a daemon that runs already: its home is below a directory, as that of one that is started here. */
    static joined(root: string, listen: string): Daemon {
        return new Daemon(root, listen, 'work');
    }

    /** Where the agents work. */
    get work(): string {
        return join(this.root, this.folder);
    }

    /** What a shell needs to reach this daemon and no other. */
    get environment(): Record<string, string> {
        return {
            PATH: `${dirname(BINARY)}:${process.env['PATH'] ?? ''}`,
            HOME: this.root,
            PASEO_HOME: this.home,
            PASEO_LISTEN: this.listen,
            PASEO_PROVIDER: 'scripted',
        };
    }

    /** The socket of the tmux server in which workers run. */
    get terminals(): string {
        return join(this.home, 'tmux.sock');
    }

    private get home(): string {
        return join(this.root, 'home');
    }

    /** Writes `config.toml`, and starts again with it. */
    async configure(text: string): Promise<void> {
        await writeFile(join(this.home, 'config.toml'), text);
        await this.paseo('restart');
    }

    /** Makes a repository with one commit where the agents work. */
    async repository(): Promise<void> {
        const git = (...args: string[]) => run('git', args, { cwd: this.work, env: this.environment });
        await git('init', '--quiet');
        const who = ['-c', 'user.name=You', '-c', 'user.email=you@example.org'];
        await git(...who, 'commit', '--quiet', '--allow-empty', '--message', 'Start');
    }

    /** Runs the command line and returns what it printed. */
    async paseo(...args: string[]): Promise<string> {
        const options = { cwd: this.work, env: this.environment, maxBuffer: 64 * 1024 * 1024 };
        const { stdout } = await run(BINARY, args, options);
        return stdout.trim();
    }

    /** Starts an agent that the web app shows. Returns its handle. */
    agent(name: string, script: string, ...flags: string[]): Promise<string> {
        return this.paseo('run', '-d', '--ui', '--title', name, ...flags, script);
    }

    /** Adds a provider whose agents edit a file, and have models and efforts, of which some may be given. */
    async editor(name = 'editor', ...more: string[]): Promise<void> {
        await this.paseo('providers', 'add', name, '--', process.execPath, EDITOR, ...more);
    }

    /** Writes a definition, by which agents can be started, and trusts it. */
    async define(slug: string, fields: string): Promise<void> {
        await this.place(`${slug}.toml`, fields);
        await this.paseo('agents', 'trust', '--yes', slug);
    }

    /** Writes a file of definitions as anyone could, and trusts nothing. */
    async place(name: string, text: string): Promise<void> {
        const folder = join(this.home, 'agents');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, name), text);
    }

    /** Writes a definition of the project in which the agents work. */
    async project(name: string, text: string): Promise<void> {
        const folder = join(this.work, '.paseo', 'agents');
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, name), text);
    }

    /** Returns what a file of definitions holds. */
    placed(name: string): Promise<string> {
        return readFile(join(this.home, 'agents', name), 'utf8');
    }

    /** Returns the tools that a definition allows which counts, and how many changes wait for a person. */
    async counts(slug: string): Promise<{ tools: string[] | null | undefined; waiting: number }> {
        const list = JSON.parse(await this.paseo('agents', 'ls', '--json')) as {
            agents: { slug: string; counts: boolean; tools: { allow: string[] | null } }[];
            pending: unknown[];
        };
        const found = list.agents.find((agent) => agent.slug === slug && agent.counts);
        return { tools: found?.tools.allow, waiting: list.pending.length };
    }

    /** Makes an idle agent that the web app does not list, unless its labels say so. Returns its id. */
    async create(fields: Record<string, unknown> = {}): Promise<string> {
        const wanted = { directory: this.work, provider: 'scripted', ...fields };
        return (await this.api<{ session: Listed }>('/sessions', wanted)).session.id;
    }

    /** Returns what was asked for by the API, or what something was changed to. */
    async api<Answer>(path: string, body?: unknown): Promise<Answer> {
        const headers = {
            Authorization: `Bearer ${await this.secret()}`,
            'Content-Type': 'application/json',
        };
        const change = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
        const response = await fetch(`${this.url}/api${path}`, { headers, ...change });
        if (!response.ok) throw new Error(await response.text());
        return (await response.json()) as Answer;
    }

    /** Where its API is. */
    get url(): string {
        return `http://${this.listen}`;
    }

    /** Returns the secret of a token, the same each time. */
    async secret(): Promise<string> {
        this.token ??= await this.paseo('token', 'create', '--name', 'test', '-q');
        return this.token;
    }

    /** Returns what is stored of an agent. */
    async inspect(handle: string): Promise<Inspected> {
        const all = JSON.parse(await this.paseo('inspect', '--json', handle)) as Record<string, unknown>;
        return (all['session'] ?? all) as Inspected;
    }

    /** Returns an agent as the API shows it. */
    async session(id: string): Promise<Record<string, unknown>> {
        return (await this.api<{ session: Record<string, unknown> }>(`/sessions/${id}`)).session;
    }

    /** Returns all open agents, also those that the web app does not list. */
    async listed(): Promise<Listed[]> {
        return (await this.api<{ sessions: Listed[] }>('/sessions?any_labels=true')).sessions;
    }

    /** Opens a gate that a script waits at. */
    readonly touch = (name: string): Promise<void> => this.write(name, '');

    /** Writes a file where the agents work. */
    async write(name: string, text: string | Uint8Array): Promise<void> {
        await writeFile(join(this.work, name), text);
    }

    /** Returns a link that logs a browser in, once. */
    async link(): Promise<string> {
        return (JSON.parse(await this.paseo('open', '--json')) as { url: string }).url;
    }

    /** Kills the daemon, as a crash would, and starts it again. Meanwhile, something else may happen. */
    async kill(meanwhile?: () => Promise<void>): Promise<void> {
        const { pid } = JSON.parse(await this.paseo('status', '--json')) as { pid: number };
        process.kill(pid, 'SIGKILL');
        await meanwhile?.();
        await this.paseo('up');
    }

    /** Returns what tmux says about the terminal of a worker, in its own words. */
    async tmux(worker: string, format: string): Promise<string> {
        const words = ['display-message', '-p', '-t', `=${worker}:`, format];
        return (await run('tmux', ['-S', this.terminals, ...words])).stdout;
    }

    /** Has the terminal of a worker print something, in place of its program. */
    async print(worker: string, format: string, values = ''): Promise<void> {
        await this.replace(worker, `printf '${format}' ${values}; exec sleep 600`);
    }

    /** Runs a script in the terminal of a worker, in place of its program. */
    async replace(worker: string, script: string): Promise<void> {
        const words = ['respawn-pane', '-k', '-t', `=${worker}:`, 'bash', '-c', script];
        await run('tmux', ['-S', this.terminals, ...words]);
    }

    async stop(): Promise<void> {
        await this.paseo('down').catch(() => {});
        // Terminals of workers outlive the daemon.
        await run('tmux', ['-S', this.terminals, 'kill-server']).catch(() => {});
        await rm(this.root, { recursive: true, force: true });
    }
}

/** A restart has to come back on the same port, so it cannot be the system's choice each time. */
async function freePort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    await new Promise((done) => server.close(done));
    return port;
}
