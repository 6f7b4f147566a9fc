import type { ErrorBody } from './wire.js';

/** A refusal of the daemon: an answer that is not a success. */
export class PaseoError extends Error {
    override readonly name = 'PaseoError';
    /** Stable: decide by this. `unknown` when something other than the daemon answered. */
    readonly code: ErrorBody['code'] | 'unknown';
    /** What to do next, for people. */
    readonly hint: string | undefined;
    /** What could have been meant. */
    readonly candidates: NonNullable<ErrorBody['candidates']>;
    /** Mistakes in a definition that was sent. */
    readonly problems: NonNullable<ErrorBody['problems']>;

    /** The status is 0 when a stream was ended, as that has none. */
    constructor(
        readonly status: number,
        body: Partial<ErrorBody> = {},
    ) {
        super(body.message ?? `the daemon answered ${status}`);
        this.code = body.code ?? 'unknown';
        this.hint = body.hint ?? undefined;
        this.candidates = body.candidates ?? [];
        this.problems = body.problems ?? [];
    }

    /** The request itself is fine and may be repeated as it is. */
    get isTransient(): boolean {
        return this.status >= 502 && this.status <= 504;
    }
}

/** The daemon could not be reached, or the connection broke before the answer was complete. */
export class UnreachableError extends Error {
    override readonly name = 'UnreachableError';

    constructor(cause: unknown) {
        super('the daemon cannot be reached', { cause });
    }
}

/** Reads the error out of an answer that is not a success. */
export async function errorOf(response: Response): Promise<PaseoError> {
    let body: unknown;
    try {
        body = await response.json();
    } catch {
        // Something between us and the daemon answered; the status has to do.
    }
    return new PaseoError(response.status, isObject(body) ? body : {});
}

function isObject(value: unknown): value is object {
    return typeof value === 'object' && value !== null;
}

/** Returns whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
    return error instanceof UnreachableError || (error instanceof PaseoError && error.isTransient);
}
