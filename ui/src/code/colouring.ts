import type { Question, Reply } from './colour.worker';
import type { Colours } from './colours';
import { languageOf, type Language } from './languages';

/** Longer code has one colour. */
export const LONGEST = 40_000;
/** How long one text may take. The rules are regular expressions: some text makes any of them take for ever. */
const MOST_MS = 3_000;
/** How many are remembered: a row that is scrolled away and back is not coloured again. */
const REMEMBERED = 200;

/** What the page needs of a worker. */
export interface Hand {
    postMessage(question: Question): void;
    terminate(): void;
    onmessage: ((event: { data: Reply }) => void) | null;
    onerror: ((event: never) => void) | null;
}

interface Waiting {
    readonly question: Question;
    readonly done: (colours: Colours | undefined) => void;
}

/**
 * Colours code beside the page, one text after the other. A text that takes too long keeps one colour, and the worker
 * that was busy with it is replaced.
 */
export class Colouring {
    private readonly known = new Map<string, Promise<Colours | undefined>>();
    private readonly waiting: Waiting[] = [];
    private hand: Hand | undefined;
    private timer: ReturnType<typeof setTimeout> | undefined;
    private next = 1;

    constructor(private readonly hire: () => Hand) {}

    /** Returns the colours of a text; `undefined` if it has but one. */
    of(written: string, text: string): Promise<Colours | undefined> {
        const language = languageOf(written);
        if (!language || text.length > LONGEST) return Promise.resolve(undefined);
        const key = `${language} ${text}`;
        const known = this.known.get(key) ?? this.ask(language, text);
        // The one that was asked for last is forgotten last.
        this.known.delete(key);
        this.known.set(key, known);
        const oldest = this.known.keys().next().value;
        if (this.known.size > REMEMBERED && oldest !== undefined) this.known.delete(oldest);
        return known;
    }

    private ask(language: Language, text: string): Promise<Colours | undefined> {
        return new Promise((done) => {
            this.waiting.push({ question: { id: this.next++, language, text }, done });
            if (this.waiting.length === 1) this.start();
        });
    }

    private start(): void {
        const first = this.waiting[0];
        if (!first) return;
        this.hand ??= this.hired();
        this.timer = setTimeout(() => this.fail(), MOST_MS);
        this.hand.postMessage(first.question);
    }

    private hired(): Hand {
        const hand = this.hire();
        hand.onmessage = ({ data }) => {
            if (data.id === this.waiting[0]?.question.id) this.finish(data.colours);
        };
        hand.onerror = () => this.fail();
        return hand;
    }

    private fail(): void {
        this.hand?.terminate();
        this.hand = undefined;
        this.finish(undefined);
    }

    private finish(colours: Colours | undefined): void {
        clearTimeout(this.timer);
        this.waiting.shift()?.done(colours);
        this.start();
    }
}

export const colouring = new Colouring(
    () => new Worker(new URL('./colour.worker.ts', import.meta.url), { type: 'module' }) as unknown as Hand,
);
