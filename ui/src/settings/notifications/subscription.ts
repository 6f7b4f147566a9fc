import type { Subscribe } from '../../lib/wire';

/** How long the service worker may take to start. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

/** Why this browser did not subscribe. */
export class NotSubscribed extends Error {}

/** Returns the address at which this browser gets messages, if it does. */
export async function endpointOf(): Promise<string | undefined> {
    if (!('serviceWorker' in navigator) || !('PushManager' in window)) return undefined;
    const registration = await navigator.serviceWorker.getRegistration('/app');
    return (await registration?.pushManager.getSubscription())?.endpoint;
}

/** Asks the person, then the browser. Called only after a tap: browsers ignore anything else. */
export async function subscribe(publicKey: string): Promise<Subscribe> {
    const permission = await Notification.requestPermission();
    if (permission !== 'granted')
        throw new NotSubscribed('the browser did not allow notifications for this address');
    const { pushManager } = await registration();
    const known = await pushManager.getSubscription();
    // One for another key cannot be used; the daemon may have got a new one.
    if (known && keyOf(known) !== publicKey) await known.unsubscribe();
    let subscribed;
    try {
        subscribed = await pushManager.subscribe({
            userVisibleOnly: true,
            applicationServerKey: publicKey,
        });
    } catch (error) {
        throw new NotSubscribed(
            `the browser could not reach its push service: ${error instanceof Error ? error.message : String(error)}`,
        );
    }
    const { endpoint, keys } = subscribed.toJSON();
    if (!endpoint || !keys?.['p256dh'] || !keys['auth'])
        throw new NotSubscribed('the browser returned a subscription without keys');
    return { endpoint, keys: { p256dh: keys['p256dh'], auth: keys['auth'] } };
}

/** Tells the browser to take no more messages. */
export async function unsubscribe(): Promise<void> {
    const registration = await navigator.serviceWorker.getRegistration('/app');
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Not `ready`: that looks at the address with which the page was loaded, which may have been the login page. */
async function registration(): Promise<ServiceWorkerRegistration> {
    for (let waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
        const found = await navigator.serviceWorker.getRegistration('/app');
        if (found?.active) return found;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new NotSubscribed('the service worker did not start; reload the page');
}

function keyOf({ options }: PushSubscription): string {
    const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer(0));
    const text = btoa(String.fromCharCode(...bytes));
    return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
