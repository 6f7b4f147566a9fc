import { PaseoError, type Topic } from '@paseo/client';
import { getContext, onMount, setContext, untrack } from 'svelte';
import { provideAgents, type Agents } from '../agents/agents.svelte';
import type { Scope } from '../agents/family';
import { Outbox } from '../conversation/outbox.svelte';
import { Queue } from '../conversation/queue/queue.svelte';
import { Transcript } from '../conversation/transcript.svelte';
import { provideAsks, type Asks } from '../inbox/asks.svelte';
import { Inbox } from '../inbox/inbox.svelte';
import { waiting } from '../inbox/needs';
import { deliveryOf, effectOf } from '../lib/change';
import { Pace } from '../lib/pace';
import type { Frame } from '../lib/wire';
import { newAgent } from '../new/newAgent.svelte';
import { definitions } from '../settings/definitions/definitions.svelte';
import { Threads } from '../threads/threads.svelte';
import { badge } from './badge';
import type { Listener, TeamFollower } from './followers';
import { route } from './route.svelte';
import { PageStream } from './stream.svelte';

const CONTEXT = Symbol('live');

/** What the page knows of the daemon, and the one stream that keeps it current. */
export class Live {
    readonly outbox = new Outbox();
    readonly inbox = new Inbox();
    readonly threads = new Threads();
    readonly stream: PageStream;
    /** The transcript of the agent that is open. */
    transcript = $state<Transcript>();
    /** What waits for it. */
    queue = $state<Queue>();
    /** The agent that is open was deleted, or never was. */
    missing = $state(false);
    private unreachable = $state(false);
    /** Which pages need to hear of all agents. */
    private wide = { list: false, inbox: false, map: false, team: false };
    private outdated = false;
    private readonly listeners = new Set<Listener>();
    private readonly pace = new Pace<Frame>((frame) => this.take(frame));
    private team: TeamFollower | undefined;
    readonly lost = $derived.by(() => this.stream.lost || this.unreachable);
    /** How many things need a person. */
    readonly needs = $derived.by(() => waiting(this.asks.all, this.inbox));
    readonly agent = $derived.by(() => (route.agent ? this.agents.get(route.agent) : undefined));

    constructor(
        readonly agents: Agents,
        readonly asks: Asks,
    ) {
        this.stream = new PageStream({
            take: (frame) => this.pace.take(frame),
            restart: () => this.restart(),
            team: (frame) => this.team?.take(frame),
            gone: () => this.gone(),
            news: () => this.listeners.forEach((changed) => changed()),
        });
        onMount(() => {
            void this.begin();
            void definitions.read();
            window.addEventListener('online', this.hurry);
            return () => {
                this.stream.stop();
                window.removeEventListener('online', this.hurry);
            };
        });
        $effect(() => void badge(this.needs));
        $effect(() => this.open(route.agent));
        $effect(() => {
            const { item } = route;
            const { transcript } = this;
            if (item !== undefined && transcript) untrack(() => void transcript.jump(item));
        });
        $effect(() => {
            // Once for each connection: what fails all the same is not tried for ever.
            if (this.stream.connected) untrack(() => this.catchUp());
        });
    }

    retry(): void {
        this.stream.reconnect();
        this.hurry();
    }

    /** Sends now what waits for the daemon. */
    private readonly hurry = (): void => {
        this.outbox.hurry();
        newAgent.hurry();
    };

    /** Lists more agents than usual while a page shows them. The stream comes first: what it brings is not missed. */
    widen(scope: Scope): void {
        this.hear({ list: scope.background });
        this.agents.widen(scope);
    }

    /** Keeps the inbox current while a page shows it: that of all agents. */
    watchInbox(): () => void {
        this.hear({ inbox: true });
        const end = this.inbox.watch();
        return () => {
            end();
            this.hear({ inbox: false });
        };
    }

    /** Tells a page of everything that happens, to all agents, until the returned function is called. */
    watchAll(changed: Listener): () => void {
        this.hear({ map: true });
        this.listeners.add(changed);
        return () => {
            this.listeners.delete(changed);
            this.hear({ map: false });
        };
    }

    /** Tells a page of what happens besides, until the returned function is called. */
    watch(topic: Topic, changed: Listener): () => void {
        this.listeners.add(changed);
        const end = this.stream.also(topic);
        return () => {
            end();
            this.listeners.delete(changed);
        };
    }

    /** Keeps the threads current while a page shows them. The stream comes first: what it brings is not missed. */
    watchThreads(): () => void {
        this.stream.hearThreads(true);
        this.threads.watch();
        return () => {
            this.threads.unwatch();
            this.stream.hearThreads(false);
        };
    }

    /** Keeps a team current while a page shows it, and all agents, of which its members are some. */
    watchTeam(team: TeamFollower): () => void {
        this.team = team;
        this.hear({ team: true });
        this.stream.followTeam(team.id);
        team.read();
        return () => {
            if (this.team !== team) return;
            this.team = undefined;
            this.stream.followTeam(undefined);
            this.hear({ team: false });
        };
    }

    private hear(of: Partial<typeof this.wide>): void {
        this.wide = { ...this.wide, ...of };
        this.stream.widen(Object.values(this.wide).some(Boolean));
    }

    /** The page of a transcript is read after the stream was told to bring what follows it. */
    private open(id: string | undefined): void {
        if (!this.agents.ready || this.transcript?.session === id) return;
        this.missing = false;
        this.transcript = id ? new Transcript(id) : undefined;
        this.queue = id ? new Queue(id) : undefined;
        this.stream.follow(id);
        if (!id) return;
        void this.queue?.read();
        if (untrack(() => route.item) === undefined) void this.transcript?.load();
        // Of one that is not listed, an older state may be known.
        if (!untrack(() => this.agents.shows(id))) this.agents.fetch(id).catch(() => this.gone());
    }

    private catchUp(): void {
        this.hurry();
        if (this.outdated) this.readAgain();
        this.listeners.forEach((changed) => changed());
        void this.asks.read();
        this.inbox.read();
        void definitions.read();
        this.agents.catchUp();
        this.threads.catchUp();
        void this.queue?.read();
        this.team?.read();
        if (this.transcript?.problem) void this.transcript.recover();
    }

    private take(frame: Frame): void {
        if (frame.type === 'thread') return this.threads.take(frame.frame);
        if (frame.type === 'event') {
            this.agents.take(frame.frame);
            this.asks.take(frame.frame);
            this.queue?.take(frame.frame);
            this.threads.heard(frame.frame.session);
            this.inbox.read();
            this.listeners.forEach((changed) => changed(frame.frame));
            const { cancelled } = effectOf(frame.frame.change);
            if (cancelled) this.outbox.settle(cancelled);
            if (!frame.known) this.readAgain();
            if (frame.frame.session === route.agent && !frame.frame.view) this.gone();
        } else if (frame.type === 'item') this.outbox.settle(deliveryOf(frame.frame.item.fields));
        this.transcript?.take(frame);
    }

    private gone(): void {
        this.missing = true;
        if (route.agent) this.agents.forget(route.agent);
    }

    /** Reads everything after a change that this page does not know; what fails in an outage, once that is over. */
    private readAgain(): void {
        this.outdated = false;
        this.restart().catch(() => (this.outdated = true));
    }

    private async restart(): Promise<number> {
        this.pace.flush();
        const seq = await this.agents.load();
        void this.asks.read();
        this.inbox.read();
        this.threads.restart();
        const id = route.agent;
        if (id && !this.agents.get(id)) this.agents.fetch(id).catch(() => this.gone());
        this.team?.read();
        void this.transcript?.restart();
        void this.queue?.read();
        return seq;
    }

    /** Reads the list until it is there, then follows what happens from there. */
    private async begin(): Promise<void> {
        for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
            try {
                this.stream.start(await this.agents.load());
                this.unreachable = false;
                return;
            } catch (error) {
                if (error instanceof PaseoError && error.status === 401) return;
                this.unreachable = true;
            }
            await new Promise((resolve) => setTimeout(resolve, pause));
        }
    }
}

/** Makes it known to everything on the page. */
export function provideLive(): Live {
    return setContext(CONTEXT, new Live(provideAgents(), provideAsks()));
}

export function useLive(): Live {
    return getContext<Live>(CONTEXT);
}
