import { href, matched, pageOf, redirected, type SectionName } from './routes';

/** What the history remembers with an address. */
interface Remembered {
    /** The address from which a step led here. */
    readonly from?: string;
    /** A sheet that is open over the page; going back closes it. */
    readonly sheet?: string;
    /** How many dialogs and menus are open over the page, one over the other; going back closes the topmost. */
    readonly over?: number;
    /** Tells this entry of the history from others; one with a sheet or a dialog has the key of the page below it. */
    readonly key?: string;
}

let steps = 0;

/** Returns a key that no other entry has, also of those from before a reload. */
function newKey(): string {
    return `${Date.now().toString(36)}.${++steps}`;
}

/** Where the page is: an address of the table in `routes.ts`, or `/login`. */
class Route {
    private at = $state(here());
    private remembered = $state.raw<Remembered>(remembered());
    /** The last step was the browser's own back or forward. */
    popped = false;
    /** The page to open after the login. */
    wanted = '/app';
    /** What closes each dialog and menu that is open, the topmost last. */
    private over: readonly (() => void)[] = [];
    private settling = false;
    /** A step back is on its way: what was to happen meanwhile happens after it. */
    private leaving: (() => void)[] | undefined;

    readonly path = $derived(this.at.split('?')[0] ?? '');
    readonly query = $derived(new URLSearchParams(this.at.split('?')[1] ?? ''));
    readonly login = $derived(this.path === '/login');
    readonly match = $derived(matched(this.path));
    readonly section = $derived<SectionName | undefined>(this.match && pageOf(this.match).section);
    /** The agent that is open. */
    readonly agent = $derived(this.match?.name === 'agent' ? this.match.params.id : undefined);
    /** The thread that is open. */
    readonly thread = $derived(this.match?.name === 'thread' ? this.match.params.id : undefined);
    /** The item of the agent's transcript to which the address leads. */
    readonly item = $derived(ordinal(this.query.get('item')));
    /** The project whose definitions are shown beside the user's own. */
    readonly project = $derived(this.query.get('project') ?? '');
    /** The sheet that is open over the page. */
    readonly sheet = $derived(this.remembered.sheet);
    /** The entry of the history. */
    readonly entry = $derived(this.remembered.key ?? '');

    constructor() {
        window.addEventListener('popstate', () => {
            this.popped = true;
            const before = this.remembered.over ?? 0;
            this.arrive();
            const waiting = this.leaving;
            this.leaving = undefined;
            // A step of ours follows what was closed, and what was opened meanwhile stays.
            if (waiting) waiting.forEach((act) => act());
            else for (const close of this.over.slice(this.remembered.over ?? 0, before).reverse()) close();
            this.settleSoon();
        });
        this.arrive();
        // What was open before a reload is not open any more.
        this.settleSoon();
    }

    /** Opens an agent. From the list that is a step forward, from another agent it takes its place. */
    open(id: string): void {
        this.go(href('agent', { id }), this.agent !== undefined);
    }

    /** Goes from one agent to another that is mentioned there, and back with the browser's own back. */
    follow(id: string): void {
        this.go(href('agent', { id }));
    }

    /** Goes to the page above this one: back, if that is where the step here came from. */
    up(): void {
        if (this.leaving) return void this.leaving.push(() => this.up());
        const up = this.match ? pageOf(this.match).up : '/app';
        if (!up) return;
        // What was just closed may still have an entry of its own.
        if (this.remembered.from === up) this.leave(1 + (this.remembered.over ?? 0));
        else this.go(up);
    }

    /** Shows the definitions, or one of them. */
    definitions(slug?: string, project = this.project): void {
        this.go(definitionPath(slug, project));
    }

    /** Adds something to the query, or takes it away. */
    ask(name: string, value: string | undefined, replace = false): void {
        const query = new URLSearchParams(this.query);
        if (value === undefined) query.delete(name);
        else query.set(name, value);
        const words = query.toString();
        this.go(words ? `${this.path}?${words}` : this.path, replace);
    }

    /** Takes something out of the query: by going back, if that is where it was not yet there. */
    unask(name: string): void {
        const query = new URLSearchParams(this.query);
        query.delete(name);
        const words = query.toString();
        const to = words ? `${this.path}?${words}` : this.path;
        if (this.remembered.from === to) this.leave(1 + (this.remembered.over ?? 0));
        else this.go(to, true);
    }

    /** Opens a sheet over the page. It takes the place of the menu from which it was chosen. */
    openSheet(name: string): void {
        if (this.leaving) return void this.leaving.push(() => this.openSheet(name));
        if (this.remembered.sheet === name) return;
        const { over, ...below } = this.remembered;
        this.remember({ ...below, sheet: name }, this.at, over !== undefined);
    }

    /** Closes the sheet as going back does. */
    closeSheet(): void {
        if (this.remembered.sheet && !this.leaving) this.leave(1);
    }

    /** Makes going back close a dialog or a menu that is open now. Returns what is to be called once it is closed. */
    cover(close: () => void): () => void {
        this.over = [...this.over, close];
        this.settleSoon();
        return () => {
            this.over = this.over.filter((other) => other !== close);
            this.settleSoon();
        };
    }

    /** Brings the history in line with what is open; a moment later, as one dialog may take the place of another. */
    private settleSoon(): void {
        if (this.settling) return;
        this.settling = true;
        setTimeout(() => {
            this.settling = false;
            this.settle();
        });
    }

    private settle(): void {
        if (this.leaving) return;
        const known = this.remembered.over ?? 0;
        if (known > this.over.length) this.leave(known - this.over.length);
        for (let over = known + 1; over <= this.over.length; over++)
            this.remember({ ...this.remembered, over }, this.at, false);
    }

    private leave(steps: number): void {
        if (this.leaving) return;
        this.leaving = [];
        history.go(-steps);
    }

    /** Shows the login page to a browser that the daemon does not know any more. */
    knock(): void {
        if (this.login) return;
        this.wanted = this.at;
        this.go('/login', true);
    }

    /** Goes on to what was wanted before the login page. */
    goOn(): void {
        this.go(this.wanted, true);
        this.wanted = '/app';
    }

    /** Goes to an address of ours. What leads away from a sheet or a dialog takes its place in the history. */
    go(path: string, replace = false): void {
        if (this.leaving) return void this.leaving.push(() => this.go(path, replace));
        const [bare = '', query] = path.split('?');
        const now = redirected(bare);
        const to = now ? (query ? `${now}?${query}` : now) : path;
        if (to === this.at && !this.remembered.sheet) return;
        const { sheet, over } = this.remembered;
        if (replace && over !== undefined) {
            // What takes the place of the page takes that of the page below the dialog.
            this.leave(over);
            return this.go(path, replace);
        }
        const instead = replace || sheet !== undefined || over !== undefined;
        const from = replace ? this.remembered.from : this.at;
        this.popped = false;
        this.remember({ ...(from !== undefined && { from }), key: newKey() }, to, instead);
    }

    private remember(remembered: Remembered, at: string, replace: boolean): void {
        if (replace) history.replaceState(remembered, '', at);
        else history.pushState(remembered, '', at);
        this.remembered = remembered;
        this.at = at;
    }

    /** Takes over the address of the browser; an old one becomes that of today. */
    private arrive(): void {
        this.at = here();
        this.remembered = remembered();
        const now = redirected(location.pathname);
        if (now) this.remember(this.remembered, now + location.search, true);
    }
}

function ordinal(text: string | null): number | undefined {
    return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

function here(): string {
    return location.pathname + location.search;
}

function remembered(): Remembered {
    const state = history.state as unknown;
    return typeof state === 'object' && state !== null ? (state as Remembered) : {};
}

export const route = new Route();

/** Returns the address of the definitions, or of one of them. */
export function definitionPath(slug: string | undefined, project: string): string {
    const query = project ? `?${new URLSearchParams({ project })}` : '';
    return (slug ? href('definition', { slug }) : href('definitions', {})) + query;
}

/** Says whether a click is ours: those for a new tab are the browser's business. */
export function isPlain(event: MouseEvent): boolean {
    return !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);
}

/** Makes a link of ours go without loading the page again: `<a href=… onclick={follow}>`. */
export function follow(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
    if (!isPlain(event)) return;
    event.preventDefault();
    const { pathname, search } = new URL(event.currentTarget.href);
    route.go(pathname + search);
}
