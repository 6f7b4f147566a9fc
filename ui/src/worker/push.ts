import { visibleLine } from '../lib/visible';

/** What the service worker shows of a message, and where a click leads. */
export interface Shown {
    readonly title: string;
    readonly tag: string;
    /** An address of ours. */
    readonly url: string;
    /** What else can be opened, each with a button. */
    readonly actions: readonly Action[];
    /** How many things need a person; `undefined` leaves the badge as it is. */
    readonly badge: number | undefined;
}

/** A button of a notification. */
export interface Action {
    readonly action: string;
    readonly title: string;
    readonly url: string;
}

const NOTHING = 'An agent has news';

/** Reads a message. Browsers insist that something is shown: what cannot be read is told in general words. */
export function shownOf(text: string | undefined, origin: string): Shown {
    const notification = fieldsOf(fieldsOf(parsed(text))['notification']);
    const { title, tag, navigate, app_badge: badge, actions } = notification;
    return {
        // A name may have characters that turn the text around.
        title: typeof title === 'string' && title ? visibleLine(title) : NOTHING,
        tag: typeof tag === 'string' && tag ? tag : 'paseo',
        url: targetOf(navigate, origin),
        actions: Array.isArray(actions) ? actions.flatMap((action) => actionOf(action, origin)) : [],
        badge: typeof badge === 'number' && Number.isInteger(badge) && badge >= 0 ? badge : undefined,
    };
}

function actionOf(value: unknown, origin: string): Action[] {
    const { action, title, navigate } = fieldsOf(value);
    if (typeof action !== 'string' || typeof title !== 'string' || !action || !title) return [];
    return [{ action, title: visibleLine(title), url: targetOf(navigate, origin) }];
}

/** Returns the address of what was clicked: of a button, or else of the notification. */
export function clicked(data: unknown, action: string, origin: string): string {
    const { url, actions } = fieldsOf(data);
    const all: readonly unknown[] = Array.isArray(actions) ? actions : [];
    const chosen = all.map(fieldsOf).find((each) => action !== '' && each['action'] === action);
    return targetOf(chosen ? chosen['url'] : url, origin);
}

/** Returns the page that a notification leads to. Only the app itself is one. */
export function targetOf(address: unknown, origin: string): string {
    const home = `${origin}/app`;
    if (typeof address !== 'string' || !URL.canParse(address, origin)) return home;
    const url = new URL(address, origin);
    const ours = url.pathname === '/app' || url.pathname.startsWith('/app/');
    // The daemon may be known by several addresses: the page is opened where this browser is logged in.
    return ours ? `${origin}${url.pathname}${url.search}` : home;
}

function parsed(text: string | undefined): unknown {
    try {
        return JSON.parse(text ?? '');
    } catch {
        return undefined;
    }
}

function fieldsOf(value: unknown): Record<string, unknown> {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
