/** Where the page is: `/login`, `/app`, or `/app/agents/<id>`. */
class Route {
    private path = $state(location.pathname);

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
