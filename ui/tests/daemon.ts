import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BUILT = fileURLToPath(new URL('../../target/debug/paseo', import.meta.url));
const BINARY = resolve(process.env['PASEO_BIN'] ?? BUILT);

/** What tests look at of an agent. */
interface Inspected {
    handle: string;
    status: string;
    held: number;
    hold: string;
}

interface DefinitionList {
    agents: { slug: string; counts: boolean; tools: { allow: string[] | null } }[];
    pending: unknown[];
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

    private get home(): string {
        return join(this.root, 'home');
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
        const list = JSON.parse(await this.paseo('agents', 'ls', '--json')) as DefinitionList;
        const found = list.agents.find((agent) => agent.slug === slug && agent.counts);
        return { tools: found?.tools.allow, waiting: list.pending.length };
    }

    /** Makes an idle agent that the web app does not list. Returns its id. */
    async create(): Promise<string> {
        const headers = {
            Authorization: `Bearer ${await this.secret()}`,
            'Content-Type': 'application/json',
        };
        const body = JSON.stringify({ directory: this.work, provider: 'scripted' });
        const response = await fetch(`${this.url}/api/sessions`, { method: 'POST', headers, body });
        if (!response.ok) throw new Error(await response.text());
        return ((await response.json()) as { session: { id: string } }).session.id;
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

    /** Opens a gate that a script waits at. */
    touch(name: string): Promise<void> {
        return this.write(name, '');
    }

    /** Writes a file where the agents work. */
    async write(name: string, text: string): Promise<void> {
        await writeFile(join(this.work, name), text);
    }

    /** Returns a link that logs a browser in, once. */
    async link(): Promise<string> {
        return (JSON.parse(await this.paseo('open', '--json')) as { url: string }).url;
    }

    async stop(): Promise<void> {
        await this.paseo('down').catch(() => {});
        // Terminals of workers outlive the daemon.
        await run('tmux', ['-S', join(this.home, 'tmux.sock'), 'kill-server']).catch(() => {});
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
