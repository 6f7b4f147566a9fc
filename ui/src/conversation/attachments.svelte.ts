import { Backoff, isTransient, PaseoError, retried } from '@paseo/client';
import { api, explain } from '../lib/client';
import type { Attachment } from '../lib/wire';

/** The daemon has the same limits. */
export const MOST_BYTES = 32 * 1024 * 1024;
export const MOST_FILES = 10;

/** A file that is being attached to a message. */
export interface Attaching {
    readonly key: number;
    readonly name: string;
    readonly size: number;
    readonly state: 'uploading' | 'ready' | 'refused';
    readonly attachment?: Attachment;
    readonly problem?: string;
}

/** The files of a message that is being written: uploaded at once, so that a refusal is seen before it is sent. */
export class Attachments {
    private all = $state.raw<readonly Attaching[]>([]);
    private stops = new Map<number, AbortController>();
    private next = 1;

    get files(): readonly Attaching[] {
        return this.all;
    }

    /** Whether all files are uploaded. */
    get ready(): boolean {
        return this.all.every((file) => file.state === 'ready');
    }

    constructor(uploaded: readonly Attachment[] = []) {
        this.all = uploaded.map((attachment) => ({
            key: this.next++,
            name: attachment.name,
            size: attachment.size,
            state: 'ready',
            attachment,
        }));
    }

    /** Those that were uploaded. */
    get uploaded(): readonly Attachment[] {
        return this.all.flatMap((file) => file.attachment ?? []);
    }

    add(files: Iterable<File>): void {
        for (const file of files) {
            const attaching: Attaching = {
                key: this.next++,
                name: file.name,
                size: file.size,
                state: 'uploading',
            };
            const problem =
                this.all.length >= MOST_FILES
                    ? `a message takes at most ${MOST_FILES} files`
                    : file.size > MOST_BYTES
                      ? 'the file is larger than 32 MB'
                      : undefined;
            this.all = [...this.all, problem ? { ...attaching, state: 'refused', problem } : attaching];
            if (!problem) void this.upload(attaching, file);
        }
    }

    remove(key: number): void {
        this.stops.get(key)?.abort();
        this.all = this.all.filter((file) => file.key !== key);
    }

    /** Returns the uploaded files and empties the list. */
    take(): Attachment[] {
        const taken = this.all.flatMap((file) => file.attachment ?? []);
        this.all = [];
        return taken;
    }

    private async upload(attaching: Attaching, file: File): Promise<void> {
        const stop = new AbortController();
        this.stops.set(attaching.key, stop);
        try {
            const { signal } = stop;
            const attempt = () => api.upload(file.name || 'file', file, signal);
            const attachment = await retried(attempt, { backoff: new Backoff(), signal, when: passes });
            this.replace({ ...attaching, state: 'ready', attachment });
        } catch (error) {
            if (stop.signal.aborted) return;
            this.replace({ ...attaching, state: 'refused', problem: explain(error) });
        } finally {
            this.stops.delete(attaching.key);
        }
    }

    private replace(file: Attaching): void {
        this.all = this.all.map((other) => (other.key === file.key ? file : other));
    }
}

/** Too many uploads at a time, or no daemon: another attempt may succeed. */
function passes(error: unknown): boolean {
    return isTransient(error) || (error instanceof PaseoError && error.status === 429);
}
