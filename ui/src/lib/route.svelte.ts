/** Where the page is: `/login`, `/app`, or `/app/agents/<id>`. */
class Route {
    private path = $state(location.pathname);
    /** Where whoever logs in goes on to. */
    wanted = '/app';

    readonly login = $derived(this.path === '/login');
    readonly agent = $derived(/^\/app\/agents\/([0-9a-f-]+)$/.exec(this.path)?.[1]);

    constructor() {
        window.addEventListener('popstate', () => (this.path = location.pathname));
    }

    /** Opens an agent. From the list that is a step forward, from another agent it takes its place. */
    open(id: string): void {
        this.go(`/app/agents/${id}`, this.agent !== undefined);
    }

    /** Goes from one agent to another that is mentioned there, and back with the browser's own back. */
    follow(id: string): void {
        this.go(`/app/agents/${id}`, false);
    }

    /** Shows the list. */
    close(): void {
        this.go('/app', false);
    }

    /** Shows the login page to whom the daemon does not know any more. */
    knock(): void {
        if (this.login) return;
        this.wanted = this.path;
        this.go('/login', true);
    }

    /** Goes on to what was wanted before the login page. */
    goOn(): void {
        this.go(this.wanted, true);
        this.wanted = '/app';
    }

    go(path: string, replace: boolean): void {
        if (path === this.path) return;
        if (replace) history.replaceState(null, '', path);
        else history.pushState(null, '', path);
        this.path = path;
    }
}

export const route = new Route();

/** Says whether a click is ours: those for a new tab are the browser's business. */
export function isPlain(event: MouseEvent): boolean {
    return !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);
}
