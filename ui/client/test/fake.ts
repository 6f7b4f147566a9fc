/** What a fake daemon was asked. */
export interface Asked {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body: unknown;
    readonly signal: AbortSignal | undefined;
}

type Reply = Response | Error | ((asked: Asked) => Response | Promise<Response>);

/** A daemon that gives answers in order, and keeps what it was asked. It fails when it is asked too often. */
export function fake(...replies: Reply[]): { fetch: typeof fetch; asked: Asked[] } {
    const asked: Asked[] = [];
    const answer = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
        const { method = 'GET', body, signal } = init;
        const one: Asked = {
            method,
            url: String(input),
            headers: new Headers(init.headers),
            body: typeof body === 'string' ? JSON.parse(body) : body,
            signal: signal ?? undefined,
        };
        asked.push(one);
        const reply = replies[asked.length - 1];
        if (reply === undefined)
            throw new TypeError(`nothing to answer to request ${asked.length}: ${one.url}`);
        if (reply instanceof Error) throw reply;
        return typeof reply === 'function' ? reply(one) : reply;
    };
    return { fetch: answer as typeof fetch, asked };
}

export function json(body: unknown, status = 200): Response {
    return Response.json(body, { status });
}

export function refusal(status: number, code: string): Response {
    return json({ code, message: `because of ${code}`, hint: 'do something else' }, status);
}

/** A stream of these pieces, which then ends. */
export function events(...pieces: string[]): Response {
    const bytes = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
        start(controller) {
            for (const piece of pieces) controller.enqueue(bytes.encode(piece));
            controller.close();
        },
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

/** A stream of these pieces, which then says nothing more until it is given up. */
export function silent(...pieces: string[]): (asked: Asked) => Response {
    return ({ signal }) => {
        const bytes = new TextEncoder();
        const body = new ReadableStream<Uint8Array>({
            start(controller) {
                for (const piece of pieces) controller.enqueue(bytes.encode(piece));
                signal?.addEventListener('abort', () => controller.error(signal.reason));
            },
        });
        return new Response(body);
    };
}
