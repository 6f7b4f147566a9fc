import { outdated, planFor } from './plan';
import { clicked, shownOf } from './push';

/**
 * The service worker: the app opens without the daemon, and says that it cannot reach it. It never answers for the API.
 * It shows notifications, and leads to what they are about. The build writes down which files there are.
 */
declare const __ASSETS__: readonly string[];
declare const __VERSION__: string;

/** What is used of the worker's world, whose types cannot stand beside those of a page. */
interface Lifecycle {
    waitUntil(work: Promise<void>): void;
}
interface Fetching {
    readonly request: Request;
    respondWith(response: Promise<Response>): void;
}
interface Pushing extends Lifecycle {
    readonly data: { text(): string } | null;
}
interface Clicking extends Lifecycle {
    readonly notification: Notification;
    /** The button; empty for the notification itself. */
    readonly action: string;
}
interface Tab {
    readonly url: string;
    readonly focused: boolean;
    focus(): Promise<unknown>;
    postMessage(message: unknown): void;
}
interface Worker {
    readonly location: Location;
    readonly registration: ServiceWorkerRegistration;
    readonly navigator: Partial<Pick<Navigator, 'setAppBadge'>>;
    readonly clients: {
        claim(): Promise<void>;
        matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<Tab[]>;
        openWindow(url: string): Promise<unknown>;
    };
    addEventListener(type: 'install' | 'activate', act: (event: Lifecycle) => void): void;
    addEventListener(type: 'fetch', act: (event: Fetching) => void): void;
    addEventListener(type: 'push', act: (event: Pushing) => void): void;
    addEventListener(type: 'notificationclick', act: (event: Clicking) => void): void;
}

const worker = self as unknown as Worker;
const PREFIX = 'paseo-shell-';
const CACHE = PREFIX + __VERSION__;
const SHELL = '/app';

worker.addEventListener('install', (event) => event.waitUntil(install()));
worker.addEventListener('activate', (event) => event.waitUntil(activate()));
worker.addEventListener('fetch', (event) => {
    const plan = planFor(event.request, worker.location.origin);
    if (plan === 'shell') event.respondWith(shell(event.request));
    if (plan === 'asset') event.respondWith(asset(event.request));
});

worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.text())));
worker.addEventListener('notificationclick', (event) => {
    event.notification.close();
    event.waitUntil(open(clicked(event.notification.data, event.action, worker.location.origin)));
});

async function show(text: string | undefined): Promise<void> {
    const { title, tag, url, actions, badge } = shownOf(text, worker.location.origin);
    // `renotify`: a second request of the same agent is heard, although it takes the place of the first.
    const options = {
        tag,
        data: { url, actions },
        actions: actions.map(({ action, title }) => ({ action, title })),
        icon: '/app/icons/icon-192.png',
        renotify: true,
    };
    await worker.registration.showNotification(title, options);
    // Not every browser has badges, and what is shown does not depend on them.
    if (badge !== undefined) await worker.navigator.setAppBadge?.(badge).catch(() => {});
}

/** Leads to a page: in a tab that is open, or else in a new one. */
async function open(url: string): Promise<void> {
    const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    // The address with which a tab was loaded: after a login that is still the login page.
    const ours = tabs.filter((tab) => /^\/(app|login)\b/.test(new URL(tab.url).pathname));
    const tab = ours.find(({ focused }) => focused) ?? ours[0];
    if (!tab) return void (await worker.clients.openWindow(url));
    tab.postMessage({ type: 'open', url });
    await tab.focus();
}

async function install(): Promise<void> {
    const cache = await caches.open(CACHE);
    await cache.addAll(__ASSETS__.map((name) => `/app/${name}`));
    const page = await fetch(SHELL);
    if (page.ok) await cache.put(SHELL, await direct(page));
}

async function activate(): Promise<void> {
    const names = await caches.keys();
    await Promise.all(outdated(names, PREFIX, CACHE).map((name) => caches.delete(name)));
    await worker.clients.claim();
}

async function shell(request: Request): Promise<Response> {
    try {
        return await fetch(request);
    } catch (error) {
        const kept = await caches.open(CACHE).then((cache) => cache.match(SHELL));
        if (kept) return kept;
        throw error;
    }
}

async function asset(request: Request): Promise<Response> {
    return (await caches.match(request)) ?? fetch(request);
}

/** A response that came by a redirect must not answer a navigation. */
async function direct(response: Response): Promise<Response> {
    if (!response.redirected) return response;
    return new Response(await response.blob(), { headers: response.headers });
}
