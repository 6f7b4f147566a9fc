import type { paths } from './api.js';
import { newKey, retried, type Backoff } from './backoff.js';
import { errorOf, UnreachableError, type PaseoError } from './error.js';
import { EventStream, type FollowOptions } from './events.js';
import {
    address,
    type Answer,
    type AnyOptions,
    type Method,
    type Operation,
    type PagedPath,
    type PathWith,
    type Rest,
} from './route.js';
import type {
    CreatedSession,
    CreateSession,
    Receipt,
    SendMessage,
    SessionLines,
    UploadedAttachment,
} from './wire.js';

export interface PaseoOptions {
    /** The daemon's address, such as `http://127.0.0.1:6767`. By default the page's own, which only browsers have. */
    readonly url?: string | undefined;
    /** The secret of a token. A page that was logged in has a cookie instead. */
    readonly token?: string | undefined;
    /** Sends the requests, in place of the global `fetch`. */
    readonly fetch?: typeof fetch;
    /** Is told of every refusal, before the caller gets it. */
    readonly onRefusal?: (error: PaseoError) => void;
}

export interface SendOptions {
    /** Without one, a new key. Keep the key and pass it again to repeat a send after a restart of your program. */
    readonly key?: string | undefined;
    readonly signal?: AbortSignal | undefined;
    /** How long to try while the daemon cannot be reached; by default, pauses of a minute in all. */
    readonly backoff?: Backoff | undefined;
}

/** A client of one daemon. Requests, answers and errors have the types of `openapi.json`. */
export class Paseo {
    private readonly url: string;
    private readonly token: string | undefined;
    private readonly fetch: typeof fetch;
    private readonly onRefusal: (error: PaseoError) => void;
    /** It has no address, and there is no page that has one. */
    private readonly isNowhere: boolean;

    constructor(options: PaseoOptions = {}) {
        this.url = (options.url ?? '').replace(/\/+$/, '');
        if (this.url !== '' && !/^https?:\/\//.test(this.url))
            throw new TypeError(`\`${this.url}\` is not an address that starts with http:// or https://`);
        this.isNowhere = this.url === '' && options.fetch === undefined && !('location' in globalThis);
        this.token = options.token;
        // Looked up at each call, as browsers want it to be called on the window.
        this.fetch = options.fetch ?? ((input, init) => fetch(input, init));
        this.onRefusal = options.onRefusal ?? (() => {});
    }

    get<P extends PathWith<'get'>>(
        path: P,
        ...[options]: Rest<Operation<P, 'get'>>
    ): Promise<Answer<Operation<P, 'get'>>> {
        return this.call('get', path, options);
    }

    post<P extends PathWith<'post'>>(
        path: P,
        ...[options]: Rest<Operation<P, 'post'>>
    ): Promise<Answer<Operation<P, 'post'>>> {
        return this.call('post', path, options);
    }

    put<P extends PathWith<'put'>>(
        path: P,
        ...[options]: Rest<Operation<P, 'put'>>
    ): Promise<Answer<Operation<P, 'put'>>> {
        return this.call('put', path, options);
    }

    patch<P extends PathWith<'patch'>>(
        path: P,
        ...[options]: Rest<Operation<P, 'patch'>>
    ): Promise<Answer<Operation<P, 'patch'>>> {
        return this.call('patch', path, options);
    }

    delete<P extends PathWith<'delete'>>(
        path: P,
        ...[options]: Rest<Operation<P, 'delete'>>
    ): Promise<Answer<Operation<P, 'delete'>>> {
        return this.call('delete', path, options);
    }

    /** Lists sessions like `get('/api/sessions')`, with only the fields of a table row. */
    async lines(...[options]: Rest<Operation<'/api/sessions', 'get'>>): Promise<SessionLines> {
        const query = { ...options?.query, brief: true };
        const page: unknown = await this.call('get', '/api/sessions', { ...options, query });
        return page as SessionLines;
    }

    /** Creates a session, with its first message if it has a `prompt`. Repeats the request if it has to, creates once. */
    create(session: CreateSession, options: SendOptions = {}): Promise<CreatedSession> {
        const { key = newKey(), signal } = options;
        return retried(() => this.post('/api/sessions', { body: session, key, signal }), options);
    }

    /** Sends a message. Repeats the request if it has to, sends once. With the receipt, the message is stored. */
    send(session: string, message: string | SendMessage, options: SendOptions = {}): Promise<Receipt> {
        const { key = newKey(), signal } = options;
        const body = typeof message === 'string' ? { text: message } : message;
        const path = { id: session };
        return retried(() => this.post('/api/sessions/{id}/messages', { path, body, key, signal }), options);
    }

    /** Uploads a file for a message that is yet to be sent. */
    async upload(name: string, file: Blob | Uint8Array, signal?: AbortSignal): Promise<UploadedAttachment> {
        const to = address('/api/attachments', { query: { name } });
        const headers = { 'Content-Type': 'application/octet-stream' };
        const response = await this.request('POST', to, {
            headers,
            body: file as Blob,
            ...withSignal(signal),
        });
        return whole(() => response.json() as Promise<UploadedAttachment>, signal);
    }

    /** Returns a file of a message. */
    async download(session: string, attachment: string, signal?: AbortSignal): Promise<Blob> {
        const path = { id: session, attachment };
        const from = address('/api/sessions/{id}/attachments/{attachment}', { path });
        const response = await this.request('GET', from, withSignal(signal));
        return whole(() => response.blob(), signal);
    }

    /** Reads a list page by page, as far as the caller goes. */
    async *pages<P extends PagedPath>(
        path: P,
        ...[options]: Rest<Operation<P, 'get'>>
    ): AsyncGenerator<Answer<Operation<P, 'get'>>, void, undefined> {
        const given = (options ?? {}) as AnyOptions;
        const query: { after?: unknown } = { ...given.query };
        for (;;) {
            const page = await this.call<P, 'get'>('get', path, { ...given, query });
            yield page;
            const { next } = page as { next?: unknown };
            if (next === undefined || next === null) return;
            if (next === query.after)
                throw new Error(`${path}: the page after ${String(next)} leads to itself`);
            query.after = next;
        }
    }

    /** Follows what happens after a position in the log, across lost connections, without a gap or a duplicate. */
    events(options: FollowOptions): EventStream {
        return new EventStream((query, signal) => {
            const headers = { Accept: 'text/event-stream' };
            return this.request('GET', address('/api/stream', { query }), { headers, signal });
        }, options);
    }

    private async call<P extends keyof paths, M extends Method>(
        method: M,
        path: P,
        options: AnyOptions | undefined = {},
    ): Promise<Answer<Operation<P, M>>> {
        const headers: Record<string, string> = {};
        const init: RequestInit = { headers, ...withSignal(options.signal) };
        if (options.body !== undefined) {
            headers['Content-Type'] = 'application/json';
            init.body = JSON.stringify(options.body);
        }
        if (options.key !== undefined) headers['Idempotency-Key'] = options.key;
        const response = await this.request(method.toUpperCase(), address(path, options), init);
        const text = await whole(() => response.text(), options.signal);
        const isJson = response.headers.get('Content-Type')?.startsWith('application/json');
        return (isJson && text ? JSON.parse(text) : text || undefined) as Answer<Operation<P, M>>;
    }

    private async request(method: string, to: string, init: RequestInit): Promise<Response> {
        // A mistake of the program, not a daemon that may come back.
        if (this.isNowhere)
            throw new TypeError('`url` is missing: pass the one that `paseo status --json` prints');
        const headers = new Headers(init.headers);
        if (this.token !== undefined) headers.set('Authorization', `Bearer ${this.token}`);
        // Browsers know `cache`; Node.js has none.
        const all: RequestInit & { cache: 'no-store' } = {
            ...init,
            method,
            headers,
            credentials: 'same-origin',
            cache: 'no-store',
        };
        const response = await whole(() => this.fetch(this.url + to, all), init.signal ?? undefined);
        if (response.ok) return response;
        const error = await errorOf(response);
        this.onRefusal(error);
        throw error;
    }
}

/** Waits for a part of an answer. What breaks on the way is an unreachable daemon, unless the caller ended it. */
async function whole<T>(part: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
        return await part();
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new UnreachableError(error);
    }
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
    return signal ? { signal } : {};
}
