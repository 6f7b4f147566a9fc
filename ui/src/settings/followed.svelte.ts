import { api, explain } from '../lib/client';
import { Order } from './order';

/** How often something is read again while its page is open: the stream does not tell of settings. */
const EVERY_MS = 3000;

export interface Options {
    /** It costs the daemon too much to be read all the time: only when the page comes back, or when asked for. */
    readonly seldom?: boolean;
}

/** Something that the daemon has, as it is now: read while its page is open, and after each change. */
export class Followed<T> {
    value = $state.raw<T>();
    /** Why the last reading failed. */
    problem = $state('');
    reading = $state(false);
    private readonly order = new Order();
    private last: Promise<unknown> = Promise.resolve();

    constructor(
        private readonly ask: (client: typeof api) => Promise<T>,
        private readonly options: Options = {},
    ) {}

    /** Keeps it up to date while it is displayed. Returns a function that stops this. */
    readonly follow = (): (() => void) => {
        const look = () => {
            if (document.visibilityState === 'visible') void this.read();
        };
        look();
        const timer = this.options.seldom ? undefined : setInterval(look, EVERY_MS);
        window.addEventListener('focus', look);
        return () => {
            clearInterval(timer);
            window.removeEventListener('focus', look);
        };
    };

    async read(): Promise<void> {
        const asked = this.order.ask();
        this.reading = true;
        try {
            const value = await this.ask(api);
            if (this.order.isNews(asked)) this.keep(value);
            this.problem = '';
        } catch (error) {
            this.problem = explain(error);
        }
        this.reading = false;
    }

    /** Makes a change whose answer is the new value. Returns why it was refused. */
    change(send: (client: typeof api) => Promise<T>): Promise<string | undefined> {
        return this.attempt(send, (value) => this.keep(value));
    }

    /** Does something that changes the value, and reads it again. Returns why it was refused. */
    async act<A>(
        send: (client: typeof api) => Promise<A>,
        done: (answer: A) => void,
    ): Promise<string | undefined> {
        const refused = await this.attempt(send, done);
        if (refused === undefined) await this.read();
        return refused;
    }

    /** One after the other, so that the last answer is the newest. */
    private attempt<A>(
        send: (client: typeof api) => Promise<A>,
        take: (answer: A) => void,
    ): Promise<string | undefined> {
        const attempt = this.last.then(async () => {
            try {
                const answer = await send(api);
                this.order.changed();
                take(answer);
                return undefined;
            } catch (error) {
                void this.read();
                return explain(error);
            }
        });
        this.last = attempt;
        return attempt;
    }

    /** What is the same changes nothing on the page. */
    private keep(value: T): void {
        if (JSON.stringify(value) !== JSON.stringify(this.value)) this.value = value;
    }
}
