import { api, explain } from '../lib/client';
import type { WakePreview } from '../lib/wire';

/** How long typing rests before the daemon is asked. */
const REST_MS = 150;

/** What a message would be. */
export interface Draft {
    readonly text: string;
    readonly to: string;
    readonly reply_to?: string;
}

/** Whom a message would wake, as the daemon says: asked once typing rests, and again when the thread changed. */
export class Waking {
    preview = $state.raw<WakePreview>();
    /** Why the daemon would refuse the message. */
    problem = $state('');
    private turn = 0;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly thread: string) {}

    ask(draft: Draft): void {
        const turn = ++this.turn;
        clearTimeout(this.timer);
        if (draft.text.trim() === '') return this.clear();
        this.timer = setTimeout(() => void this.read(turn, draft), REST_MS);
    }

    clear(): void {
        this.turn += 1;
        clearTimeout(this.timer);
        this.preview = undefined;
        this.problem = '';
    }

    /** An answer that is overtaken is not shown. */
    private async read(turn: number, body: Draft): Promise<void> {
        let [preview, problem]: [WakePreview | undefined, string] = [undefined, ''];
        try {
            preview = await api.post('/api/threads/{thread}/wakes', { path: { thread: this.thread }, body });
        } catch (error) {
            problem = explain(error);
        }
        if (turn !== this.turn) return;
        this.preview = preview;
        this.problem = problem;
    }
}
