import { PaseoError } from '@paseo/client';
import type { Agents } from '../agents/agents.svelte';
import { api, explain } from '../lib/client';
import { Lag } from '../lib/lag';
import { whole } from '../lib/pages';
import { Reader } from '../lib/reader';
import type { Task, Team, TeamFrame, TeamThread, Worker } from '../lib/wire';
import { perform } from './acts';
import type { Act, Move } from './moves';
import { reused } from './reused';
import type { ShownBoard } from './shown';

/** The shortest time between two readings. */
const PAUSE_MS = 200;
const PAGE = 500;
/** The same after a reading that failed. */
const FAILED_MS = 2000;

/** A team with its tasks as the daemon has them. Whatever happens, all of it is read again, and at most so often. */
export class Board implements ShownBoard {
    team = $state.raw<Team>();
    tasks = $state.raw<readonly Task[]>([]);
    threads = $state.raw<readonly TeamThread[]>([]);
    workers = $state.raw<readonly Worker[]>([]);
    /** The team is not there. */
    missing = $state(false);
    problem = $state('');
    ready = $state(false);
    /** How many events have come in, for what reads along. */
    heard = $state(0);
    /** Why the last thing that a person did was refused, and what was done last. */
    refused = $state('');
    told = $state('');
    /** The daemon's time, as of the last second. */
    now = $state(0);
    readonly open = $derived(this.team !== undefined && !this.team.closed_at);
    readonly live = this;
    private readonly lag = new Lag();
    private talked = true;
    private readonly reader = new Reader(
        () => this.ask(),
        () => (this.problem ? FAILED_MS : PAUSE_MS),
    );

    constructor(
        readonly id: string,
        private readonly agents: Agents,
    ) {}

    task(id: string | undefined): Task | undefined {
        return id === undefined ? undefined : this.tasks.find((task) => task.id === id);
    }

    worker(member: string): Worker | undefined {
        return this.workers.find(({ name }) => name === member);
    }

    /** Keeps the countdowns going. */
    tick(): () => void {
        const timer = setInterval(() => (this.now = this.lag.now(performance.now())), 1000);
        return () => {
            clearInterval(timer);
            this.reader.end();
        };
    }

    take({ change }: TeamFrame): void {
        this.heard++;
        if (change.type.startsWith('thread_')) this.talked = true;
        this.reader.read();
    }

    /** Does what a move comes to, or says why it is none. */
    request(task: Task, move: Exclude<Move, { readonly is: 'choose' }>): void {
        if (move.is === 'none') this.refused = move.why;
        else void this.act(task, move);
    }

    /** Does something with a task. What comes of it, the daemon says. */
    async act(task: Task, act: Act): Promise<void> {
        this.refused = '';
        const refused = await perform(this.id, task, act);
        if (refused) this.refused = `${task.id}: ${refused}`;
        else this.told = `${task.id}: ${act.is === 'depend' ? 'dependencies changed' : act.is}`;
        this.read();
    }

    /** Reads the team at once: a person did something, or the connection is back. */
    read(): void {
        this.reader.readNow();
    }

    private async ask(): Promise<void> {
        const talked = this.talked || !this.ready;
        this.talked = false;
        try {
            const path = { team: this.id };
            const [answer, page, workers] = await Promise.all([
                api.get('/api/teams/{team}', { path }),
                whole(
                    api.pages('/api/teams/{team}/tasks', { path, query: { limit: PAGE } }),
                    (list) => list.tasks,
                ),
                api.get('/api/workers', { query: { team: this.id } }),
            ]);
            const fresh = answer.team.agents.filter(({ session }) => session && !this.agents.get(session));
            this.lag.take(page.now, performance.now());
            this.now = this.lag.now(performance.now());
            [this.team, this.workers] = [answer.team, workers.workers];
            this.tasks = reused(this.tasks, page.tasks);
            for (const { session } of fresh) if (session) this.agents.seek(session);
            if (talked) await this.readThreads();
            this.problem = '';
            this.missing = false;
            this.ready = true;
        } catch (error) {
            this.talked ||= talked;
            this.missing = error instanceof PaseoError && (error.status === 404 || error.status === 400);
            this.problem = explain(error);
            if (!this.missing) this.reader.read();
        }
    }

    private async readThreads(): Promise<void> {
        const all = await whole(
            api.pages('/api/threads', { query: { limit: PAGE } }),
            (list) => list.threads,
        );
        this.threads = all.threads.filter(({ team }) => team === this.id);
    }
}
