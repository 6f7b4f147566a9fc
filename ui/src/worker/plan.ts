/** What the service worker does about a request. */
export type Plan =
    /** The page of the app: from the daemon, and from the cache when the daemon cannot be reached. */
    | 'shell'
    /** A file whose name changes with what is in it: from the cache, if it is there. */
    | 'asset'
    /** Nothing: the browser asks as if there were no service worker. */
    | 'leave';

export interface Asked {
    readonly method: string;
    readonly mode: string;
    readonly url: string;
}

/** Decides about a request. What is not surely ours is left alone: the API above all. */
export function planFor({ method, mode, url }: Asked, origin: string): Plan {
    const { pathname, origin: from } = new URL(url);
    if (method !== 'GET' || from !== origin) return 'leave';
    if (pathname.startsWith('/app/assets/')) return 'asset';
    if (mode === 'navigate' && (pathname === '/app' || pathname.startsWith('/app/'))) return 'shell';
    return 'leave';
}

/** Returns the caches that are not needed any more: pages of the version before this one may still be open. */
export function outdated(names: readonly string[], prefix: string, current: string): string[] {
    const ours = names.filter((name) => name.startsWith(prefix) && name !== current);
    return ours.slice(0, -1);
}
