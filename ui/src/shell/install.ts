import { route } from './route.svelte';

const WORKER = '/app/sw.js';
const MANIFEST = '/app/manifest.webmanifest';

/**
 * Makes the app one that can be installed and that opens without the daemon. A daemon that does not serve the files
 * answers with the page instead, and then there is nothing to do.
 */
export async function makeInstallable(): Promise<void> {
    // Without a secure context, such as over plain HTTP in a local network, browsers have no service workers.
    if (!window.isSecureContext) return;
    if (await isServed(MANIFEST, 'manifest+json')) {
        const link = document.createElement('link');
        link.rel = 'manifest';
        link.href = MANIFEST;
        document.head.append(link);
    }
    if ('serviceWorker' in navigator && (await isServed(WORKER, 'javascript'))) await register();
}

/** Goes where a notification leads that was clicked. */
function followNotifications(): void {
    navigator.serviceWorker.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
        const { type, url } = (data ?? {}) as { type?: unknown; url?: unknown };
        if (type !== 'open' || typeof url !== 'string' || !URL.canParse(url)) return;
        const { origin, pathname, search } = new URL(url);
        if (origin === location.origin && !route.login) route.go(pathname + search);
    });
}

async function register(): Promise<void> {
    followNotifications();
    // `/app` itself is above the worker's own folder: the daemon has to allow it.
    for (const options of [{ scope: '/app' }, {}])
        try {
            await navigator.serviceWorker.register(WORKER, options);
            return;
        } catch {
            // The daemon went away, or the browser allows no worker: the next load brings another chance.
        }
}

async function isServed(path: string, type: string): Promise<boolean> {
    try {
        const { ok, headers } = await fetch(path, { method: 'HEAD' });
        return ok && (headers.get('content-type') ?? '').includes(type);
    } catch {
        return false;
    }
}
