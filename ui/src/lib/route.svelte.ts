/** A slug, as the daemon has them. */
const SLUG = /^\/app\/definitions\/([\w-]{1,64})$/;

/** Where the page is: `/login`, `/app`, `/app/agents/<id>`, `/app/definitions`, `/app/definitions/<slug>`. */
class Route {
    private at = $state(location.pathname + location.search);
    /** Where whoever logs in goes on to. */
    wanted = '/app';

    private readonly path = $derived(this.at.split('?')[0] ?? '');
    readonly login = $derived(this.path === '/login');
    readonly agent = $derived(/^\/app\/agents\/([0-9a-f-]+)$/.exec(this.path)?.[1]);
    /** The slug of the definition that is open. */
    readonly definition = $derived(SLUG.exec(this.path)?.[1]);
    readonly newDefinition = $derived(this.path === '/app/new-definition');
    readonly inDefinitions = $derived(
        this.path === '/app/definitions' || this.newDefinition || this.definition !== undefined,
    );
    /** Whose definitions are shown beside the user's own. */
    readonly project = $derived(new URLSearchParams(this.at.split('?')[1] ?? '').get('project') ?? '');
    readonly known = $derived(
        this.login || this.agent !== undefined || this.inDefinitions || /^\/app\/?$/.test(this.path),
    );

    constructor() {
        window.addEventListener('popstate', () => (this.at = location.pathname + location.search));
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

    /** Shows the definitions, or one of them. */
    definitions(slug?: string, project = this.project): void {
        this.go(definitionPath(slug, project), false);
    }

    /** Shows the login page to whom the daemon does not know any more. */
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

    go(path: string, replace: boolean): void {
        if (path === this.at) return;
        if (replace) history.replaceState(null, '', path);
        else history.pushState(null, '', path);
        this.at = path;
    }
}

export const route = new Route();

/** Returns the address of the definitions, or of one of them. */
export function definitionPath(slug: string | undefined, project: string): string {
    const query = project ? `?${new URLSearchParams({ project })}` : '';
    return `/app/definitions${slug ? `/${slug}` : ''}${query}`;
}

/** Says whether a click is ours: those for a new tab are the browser's business. */
export function isPlain(event: MouseEvent): boolean {
    return !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);
}
