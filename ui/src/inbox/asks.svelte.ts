import { PaseoError } from '@paseo/client';
import { getContext, setContext } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';
import { effectOf } from '../lib/change';
import { api, explain } from '../lib/client';
import { isAlike } from '../agents/handles';
import type { AnswerPermission, Ask, Decision, EventFrame } from '../lib/wire';

const CONTEXT = Symbol('asks');

/** The outcome of an answer. */
export type Answered = { is: 'given' } | { is: 'late' } | { is: 'failed'; why: string };

/**
 * The open permission requests of all agents. The daemon has the list; the page reads it again whenever an event says
 * that it changed.
 */
export class Asks {
    private readonly open = new SvelteMap<string, Ask>();
    /** How requests ended while this page was there. One that was decided is never open again. */
    private readonly decisions = new SvelteMap<string, Decision>();
    /** Asks that another person answered while this page did. */
    private readonly late = new SvelteMap<string, string>();
    private reading: Promise<void> | undefined;
    private stale = false;
    /** The list was read. */
    ready = $state(false);

    /** All of them, oldest first. */
    readonly all = $derived([...this.open.values()]);

    /** Returns how a request ended: allow, deny or withdrawn. */
    decision(hash: string): Decision | undefined {
        return this.decisions.get(hash);
    }

    /** Returns what an agent asks, oldest first. */
    of(session: string): Ask[] {
        return [...this.open.values()].filter((ask) => ask.session === session);
    }

    get(hash: string): Ask | undefined {
        return this.open.get(hash);
    }

    /** Says whether an answer given here came second. */
    wasLate(hash: string): boolean {
        return this.late.has(hash);
    }

    take(frame: EventFrame): void {
        const { asked, decided, movesHandles } = effectOf(frame.change);
        if (decided) this.close(decided.hash, decided.decision);
        if (asked) this.forgive(frame.session);
        if (this.of(frame.session).length !== (frame.view?.asks ?? 0)) void this.read();
        // Their handles may be others now.
        else if (movesHandles && this.all.some(({ session }) => isAlike(session, frame.session)))
            void this.read();
    }

    /** Reads all of them. Calls that come meanwhile are one more reading. */
    read(): Promise<void> {
        this.stale = true;
        this.reading ??= this.readAll().finally(() => (this.reading = undefined));
        return this.reading;
    }

    /** Gives an answer. The first one that the daemon gets wins. */
    async answer(ask: Ask, given: AnswerPermission): Promise<Answered> {
        try {
            const path = { id: ask.session, hash: ask.hash };
            await api.post('/api/sessions/{id}/permissions/{hash}', { path, body: given });
            this.close(ask.hash, given.allow ? 'allow' : 'deny');
            return { is: 'given' };
        } catch (error) {
            if (!(error instanceof PaseoError) || error.status !== 409 || error.code === 'too_early')
                return { is: 'failed', why: explain(error) };
            this.late.set(ask.hash, ask.session);
            void this.read();
            return { is: 'late' };
        }
    }

    private close(hash: string, decision: Decision): void {
        this.open.delete(hash);
        this.decisions.set(hash, decision);
    }

    private forgive(session: string): void {
        for (const [hash, of] of [...this.late]) if (of === session) this.late.delete(hash);
    }

    private async readAll(): Promise<void> {
        while (this.stale) {
            this.stale = false;
            const found: Ask[] = [];
            try {
                for await (const page of api.pages('/api/permissions')) found.push(...page.asks);
            } catch {
                // The next event, or the next connection, brings another chance.
                return;
            }
            const kept = new Set(found.map((ask) => ask.hash));
            for (const hash of [...this.open.keys()]) if (!kept.has(hash)) this.open.delete(hash);
            // What was decided while this was read is in it, and not open any more.
            for (const ask of found) if (!this.decisions.has(ask.hash)) this.open.set(ask.hash, ask);
            this.ready = true;
        }
    }
}

/** Makes them known to everything on the page. */
export function provideAsks(): Asks {
    return setContext(CONTEXT, new Asks());
}

export function useAsks(): Asks {
    return getContext<Asks>(CONTEXT);
}
