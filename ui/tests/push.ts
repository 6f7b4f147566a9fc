import { createECDH, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, CDPSession, Locator, Page } from '@playwright/test';
import { expect } from './app';
import type { Daemon } from './daemon';
import type { Settings } from './settings';

/** A push service that counts what comes, and can refuse it. */
export class PushService {
    private readonly server: Server;
    readonly paths: string[] = [];
    status = 201;

    private constructor() {
        this.server = createServer((request, response) => {
            request.resume().on('end', () => {
                this.paths.push(request.url ?? '');
                response.writeHead(this.status).end();
            });
        });
    }

    static async start(): Promise<PushService> {
        const service = new PushService();
        await new Promise<void>((done) => service.server.listen(0, '127.0.0.1', done));
        return service;
    }

    endpoint(name: string): string {
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/${name}`;
    }

    async stop(): Promise<void> {
        this.server.closeAllConnections();
        await new Promise((done) => this.server.close(done));
    }
}

/** Browsers in tests reach no push service: one is put in its place. What is subscribed survives a reload. */
export async function pretend(context: BrowserContext, endpoint: string): Promise<void> {
    const ecdh = createECDH('prime256v1');
    const keys = {
        p256dh: ecdh.generateKeys().toString('base64url'),
        auth: randomBytes(16).toString('base64url'),
    };
    await context.addInitScript(
        ({ endpoint, keys }) => {
            const KEY = 'test-subscription';
            const made = (key: string) => ({
                endpoint,
                options: {
                    applicationServerKey: Uint8Array.from(atob(key), (char) => char.charCodeAt(0)).buffer,
                },
                toJSON: () => ({ endpoint, keys }),
                unsubscribe: () => {
                    localStorage.removeItem(KEY);
                    return Promise.resolve(true);
                },
            });
            const found = () => {
                const key = localStorage.getItem(KEY);
                return Promise.resolve(key === null ? null : made(key));
            };
            Object.assign(PushManager.prototype, {
                subscribe: ({ applicationServerKey }: { applicationServerKey: string }) => {
                    const key = applicationServerKey.replaceAll('-', '+').replaceAll('_', '/');
                    localStorage.setItem(KEY, key);
                    return found();
                },
                getSubscription: found,
            });
        },
        { endpoint, keys },
    );
}

/** Waits until the service worker of a page is there. */
export async function workerOf(page: Page): Promise<void> {
    const state = () =>
        page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/app'))?.active?.state);
    await expect.poll(state).toBe('activated');
}

/** Delivers messages to the service worker of a page, as the browser does. */
export async function deliverer(page: Page): Promise<(data: unknown) => Promise<void>> {
    await workerOf(page);
    const session: CDPSession = await page.context().newCDPSession(page);
    const found = new Promise<string>((resolve) => {
        session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
            const registration = registrations.find(({ scopeURL }) => scopeURL.endsWith('/app'));
            if (registration) resolve(registration.registrationId);
        });
    });
    await session.send('ServiceWorker.enable');
    const registrationId = await found;
    const { origin } = new URL(page.url());
    return async (data) => {
        const text = typeof data === 'string' ? data : JSON.stringify(data);
        await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: text });
    };
}

interface Seen {
    title: string;
    tag: string;
    data: unknown;
    actions: unknown;
}

/** What the browser shows of the app's notifications. */
export function shown(page: Page): Promise<Seen[]> {
    return page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration('/app');
        const all = (await registration?.getNotifications()) ?? [];
        return all.map((each) => {
            const { title, tag, data } = each;
            const { actions } = each as unknown as { actions: readonly { action: string; title: string }[] };
            const buttons = actions.map(({ action, title }) => ({ action, title }));
            return { title, tag, data: data as unknown, actions: buttons };
        });
    });
}

/** Lets a browser show notifications, as a person does who is asked. */
export async function allow(context: BrowserContext, daemon: Daemon): Promise<void> {
    await context.grantPermissions(['notifications'], { origin: daemon.url });
}

/** A switch of the page, by a part of its name. */
export function switchOf(settings: Settings, name: string | RegExp): Locator {
    return settings.main.getByRole('switch', { name });
}

/** The switch that turns everything on and off. */
export const MAIN = 'Notifications on this device';
