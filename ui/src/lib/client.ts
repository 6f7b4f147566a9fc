import type { Attachment, DefinitionProblem, ErrorBody } from './wire';

/** An answer of the daemon that is not a success. */
export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        message: string,
        readonly hint: string | undefined,
        /** Mistakes in a definition that was sent. */
        readonly problems: readonly DefinitionProblem[] = [],
    ) {
        super(message);
    }

    /** The request itself is fine and may be repeated as it is. */
    get passing(): boolean {
        return this.status >= 502 && this.status <= 504;
    }
}

/** Called when the daemon does not know this browser (any more). */
let onStranger: () => void = () => {};

export function whenStranger(act: () => void): void {
    onStranger = act;
}

/** Turns a refusal into an error, and sends a stranger to the login page. */
export async function refusal(response: Response): Promise<ApiError> {
    let body: Partial<ErrorBody> = {};
    try {
        body = (await response.json()) as Partial<ErrorBody>;
    } catch {
        // Something between us and the daemon answered; the status has to do.
    }
    if (response.status === 401) onStranger();
    const message = body.message ?? `the daemon answered ${response.status}`;
    const { code = 'unknown', hint, problems } = body;
    return new ApiError(response.status, code, message, hint ?? undefined, problems);
}

async function request(method: string, path: string, init: RequestInit): Promise<Response> {
    const response = await fetch(path, { ...init, method, credentials: 'same-origin', cache: 'no-store' });
    if (!response.ok) throw await refusal(response);
    return response;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await request('GET', path, signal ? { signal } : {});
    return (await response.json()) as T;
}

export async function getText(path: string): Promise<string> {
    return (await request('GET', path, {})).text();
}

export async function post<T>(path: string, body?: unknown, key?: string): Promise<T | undefined> {
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (key) headers['Idempotency-Key'] = key;
    const init: RequestInit = { headers };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await request('POST', path, init);
    const text = await response.text();
    return text ? (JSON.parse(text) as T) : undefined;
}

export async function put<T>(path: string, body: unknown): Promise<T> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await request('PUT', path, { headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
}

/** Uploads a file for a message that is yet to be sent. */
export async function upload(file: File, signal: AbortSignal): Promise<Attachment> {
    const path = `/api/attachments?name=${encodeURIComponent(file.name || 'file')}`;
    const headers = { 'Content-Type': 'application/octet-stream' };
    const response = await request('POST', path, { headers, body: file, signal });
    return (await response.json()) as Attachment;
}

/** Returns words for an error, for people. */
export function explain(error: unknown): string {
    if (error instanceof ApiError) return error.hint ? `${error.message} (${error.hint})` : error.message;
    return 'the daemon cannot be reached';
}
