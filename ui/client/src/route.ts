import type { paths } from './api.js';
import type { SessionPage } from './wire.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The API itself: what is beside it are pages, and the protocols of other programs. */
type ApiPath = Extract<keyof paths, `/api/${string}` | '/healthz'>;

/** Files and streams have methods of their own. */
type Raw = { 'text/event-stream': unknown } | { 'application/octet-stream': unknown };
type IsRaw<O> = Contents<O> extends Raw ? true : O extends { requestBody: { content: Raw } } ? true : false;

/** The paths that have a method. */
export type PathWith<M extends Method> = {
    [P in ApiPath]: paths[P] extends { [K in M]: infer O extends object }
        ? IsRaw<O> extends true
            ? never
            : P
        : never;
}[ApiPath];

export type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O }
    ? O
    : never;

type Parameters<O> = O extends { parameters: infer P } ? P : never;
type In<O, Where extends string> = Parameters<O> extends { [K in Where]?: infer Values } ? Values : never;

/** A parameter of which any text is allowed may be a number as well: it ends up in the address. */
type Loose<Values> = {
    [K in keyof Values]: string extends Values[K] ? Values[K] | number | boolean : Values[K];
};

type PathOption<O> = [NonNullable<In<O, 'path'>>] extends [never]
    ? unknown
    : { readonly path: Loose<NonNullable<In<O, 'path'>>> };
type QueryOption<O> = [NonNullable<In<O, 'query'>>] extends [never]
    ? unknown
    : object extends Query<O>
      ? { readonly query?: Loose<Query<O>> | undefined }
      : { readonly query: Loose<Query<O>> };
type BodyOption<O> = O extends { requestBody: { content: { 'application/json': infer B } } }
    ? { readonly body: B }
    : O extends { requestBody?: { content: { 'application/json': infer B } } }
      ? { readonly body?: B }
      : unknown;

export interface CallOptions {
    /** The idempotency key: the same request with the same key takes effect once. */
    readonly key?: string | undefined;
    readonly signal?: AbortSignal | undefined;
}

/** What a request needs beside its path, as the API describes it. */
export type Options<O> = PathOption<O> & QueryOption<O> & BodyOption<O> & CallOptions;

/** The options of a request, as an argument that may be left out when nothing in them is required. */
export type Rest<O> = object extends Options<O> ? [options?: Options<O>] : [options: Options<O>];

type Contents<O> = O extends { responses: infer R }
    ? R extends { 200: { content: infer C } }
        ? C
        : R extends { 201: { content: infer C } }
          ? C
          : undefined
    : never;

/** Rows of `/api/sessions` are whole, unless `brief` is asked for: `Paseo.lines` does that. */
type Whole<A> = [Extract<A, SessionPage>] extends [never] ? A : Extract<A, SessionPage>;
type Query<O> = Omit<NonNullable<In<O, 'query'>>, 'brief'>;

/** What a successful request returns: JSON, a text, or nothing. */
export type Answer<O> =
    Contents<O> extends { 'application/json': infer A }
        ? Whole<A>
        : Contents<O> extends { 'text/plain': string } | { 'text/html': string }
          ? string
          : undefined;

/** The paths of lists that come in pages. */
export type PagedPath = {
    [P in PathWith<'get'>]: Answer<Operation<P, 'get'>> extends { next?: unknown } ? P : never;
}[PathWith<'get'>];

/** How options look to the code that sends them, whatever the path. */
export interface AnyOptions extends CallOptions {
    readonly path?: Readonly<Record<string, unknown>>;
    readonly query?: object | undefined;
    readonly body?: unknown;
}

/** Fills a path: each parameter is one segment, whatever is in it. */
export function address(path: string, { path: values, query }: AnyOptions): string {
    const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
        const value = values?.[name];
        if (value === undefined || value === null || value === '')
            throw new TypeError(`${path}: the parameter \`${name}\` is missing`);
        return encodeURIComponent(String(value));
    });
    const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
    if (given.length === 0) return filled;
    return `${filled}?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
