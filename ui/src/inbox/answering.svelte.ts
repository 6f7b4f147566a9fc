import { useAsks } from './asks.svelte';
import { Consent } from './consent.svelte';
import type { Values } from './form';
import type { AnswerPermission, Ask, QuestionAnswer } from '../lib/wire';

/** Gives the answer to a request, once: after its controls were displayed and still. */
export class Answering {
    readonly consent = new Consent();
    busy = $state(false);
    problem = $state('');
    private readonly asks = useAsks();

    constructor(private readonly ask: () => Ask) {}

    /** Says that a click would not count now. */
    get disabled(): boolean {
        return this.busy || !this.consent.ready;
    }

    give(event: Event, allow: boolean, message: string, always = false): Promise<void> {
        return this.answer(event, { allow, always, message: message.trim() || null });
    }

    /** Answers the questions of the request, one by one. */
    choose(event: Event, answers: QuestionAnswer[]): Promise<void> {
        return this.answer(event, { allow: true, answers });
    }

    /** Fills in the form of the request. */
    fill(event: Event, fields: Values): Promise<void> {
        return this.answer(event, { allow: true, fields });
    }

    /** Closes the form of the request without an answer. */
    cancel(event: Event): Promise<void> {
        return this.answer(event, { allow: false, cancel: true });
    }

    private async answer(event: Event, given: AnswerPermission): Promise<void> {
        const shown = this.consent.given(event);
        if (this.busy || shown === undefined) return;
        this.busy = true;
        this.problem = '';
        const done = await this.asks.answer(this.ask(), { ...given, shown_ms: shown });
        if (done.is === 'failed') this.problem = done.why;
        this.busy = done.is !== 'failed';
    }
}
