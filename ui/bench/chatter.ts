import type { Daemon } from '../tests/daemon';
import { read, say } from './world';

/** How long an agent talks about one message. */
const ROUND_MS = 5_000;

/** What agents say, in turns: `#` stands for a number. */
const WORDS = [
    'Looking at part #: it is called from *three* places, of which `find` is the slowest.',
    '### Part #\n\n- it reads the list from its beginning;\n- a sorted one takes **14 steps**;\n- what calls it stays as it was.',
    'Part # is done.\n\n```rust\nlet at = list.binary_search_by(|entry| entry.name.cmp(name)).ok()?;\n```\n\nThe tests pass.',
    '| part | before | after |\n|---|---|---|\n| # | 5,000 | 14 |',
];

/** An agent that says a given number of things in a second. */
export class Chatter {
    private said = 0;
    private stopped = false;
    /** How long it waits after each thing it says. Follows what was measured. */
    private pause: number;

    constructor(
        private readonly daemon: Daemon,
        private readonly agent: string,
        private readonly rate: number,
    ) {
        this.pause = 1000 / rate;
    }

    /** Lets it end what it says, and no more. */
    stop(): void {
        this.stopped = true;
    }

    /** Words of what it said last. */
    get last(): string {
        return `the end of ${this.said}`;
    }

    /** Makes it talk until it is told to stop, and waits for the end. */
    async talk(): Promise<void> {
        while (!this.stopped) {
            const started = Date.now();
            const count = Math.round((this.rate * ROUND_MS) / 1000);
            const steps = Array.from({ length: count }, () => this.step());
            await say(this.daemon, this.agent, `${steps.join('')}<<say ${this.last}>>`);
            await this.daemon.paseo('wait', this.agent);
            // What was needed beside the pauses is taken from them.
            const over = Date.now() - started - ROUND_MS;
            this.pause = Math.max(0, this.pause - over / count);
        }
    }

    /** Returns how many items there are. */
    async newest(): Promise<number> {
        const path = `/api/sessions/${this.agent}/items?limit=1`;
        const { items } = await read<{ items: { ordinal: number }[] }>(this.daemon, path);
        return items.at(-1)?.ordinal ?? 0;
    }

    private step(): string {
        this.said += 1;
        const words = (WORDS[this.said % WORDS.length] ?? '').replace('#', String(this.said));
        const pause = `<<wait ${Math.round(this.pause)}>>`;
        if (this.said % 10 === 0) return `<<think ${words}>>${pause}`;
        return `<<say ${words.replaceAll('>', '\\>')}>>${pause}`;
    }
}
