import { LONGEST_TEXT } from '../lib/limits';
import type { Attachment } from '../lib/wire';

const PREFIX = 'paseo.draft.';
/** Most agents of which a draft is kept. */
export const MOST = 50;

/** An hour less than the daemon keeps uploads that no message has. */
const UPLOAD_MS = 23 * 60 * 60 * 1000;

interface Draft {
    readonly text: string;
    readonly at: number;
    readonly files: readonly Attachment[];
}

function isFile(value: unknown): value is Attachment {
    const { id, name, media_type, size } = (value ?? {}) as Record<string, unknown>;
    return [id, name, media_type].every((word) => typeof word === 'string') && typeof size === 'number';
}

/** What this needs of `localStorage`. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/**
 * What was written and not sent, by agent; `new` for the one that is about to be started. It survives a reload, in this browser. A browser that keeps nothing, or has
 * no room, loses drafts with the page, and nothing else.
 */
export class Drafts {
    constructor(
        private readonly store: () => Store,
        private readonly now: () => number = Date.now,
    ) {}

    get(agent: string): string {
        return this.read(PREFIX + agent)?.text ?? '';
    }

    /** Returns the files that were uploaded for a draft and that the daemon still has. */
    files(agent: string): readonly Attachment[] {
        const { files, at } = this.read(PREFIX + agent) ?? { files: [], at: 0 };
        return this.now() - at < UPLOAD_MS ? files : [];
    }

    set(agent: string, text: string, files: readonly Attachment[] = []): void {
        this.attempt((store) => {
            if ((text.trim() === '' && files.length === 0) || text.length > LONGEST_TEXT)
                return store.removeItem(PREFIX + agent);
            // When the first of the files was uploaded: the daemon removes them some time after that.
            const before = this.read(PREFIX + agent);
            const same = before && before.files.some(({ id }) => files.some((file) => file.id === id));
            const at = same ? before.at : this.now();
            const written = JSON.stringify({ text, at, ...(files.length > 0 && { files }) });
            this.put(store, PREFIX + agent, written);
            if (!before) for (const key of this.keys(store).slice(MOST)) store.removeItem(key);
        });
    }

    /** Writes a draft. Where there is no room, the oldest of the others make room, unless that is not enough. */
    private put(store: Store, key: string, written: string): void {
        const removed: [string, string][] = [];
        for (;;)
            try {
                return store.setItem(key, written);
            } catch {
                const oldest = this.keys(store).findLast((other) => other !== key);
                if (oldest === undefined)
                    return removed.forEach(([other, text]) => store.setItem(other, text));
                removed.push([oldest, store.getItem(oldest) ?? '']);
                store.removeItem(oldest);
            }
    }

    /** Returns where drafts are, the newest first, and last what cannot be read. */
    private keys(store: Store): string[] {
        return Array.from({ length: store.length }, (_, at) => store.key(at) ?? '')
            .filter((key) => key.startsWith(PREFIX))
            .map((key) => ({ key, at: this.read(key)?.at ?? 0 }))
            .sort((a, b) => b.at - a.at)
            .map(({ key }) => key);
    }

    private read(key: string): Draft | undefined {
        return this.attempt((store) => {
            const { text, at, files } = JSON.parse(store.getItem(key) ?? '') as Record<string, unknown>;
            if (typeof text !== 'string' || typeof at !== 'number') return undefined;
            return { text, at, files: Array.isArray(files) ? files.filter(isFile) : [] };
        });
    }

    private attempt<T>(act: (store: Store) => T): T | undefined {
        try {
            return act(this.store());
        } catch {
            return undefined;
        }
    }
}

export const drafts = new Drafts(() => localStorage);
