import type { Component } from 'svelte';
import type { SectionName } from './sections';

export { SECTIONS, type Section, type SectionName } from './sections';

/**
 * All pages, and where each is. A new page is a line in `PAGES`, a new section one in `SECTIONS`: rail, tabs, palette,
 * shortcuts and titles follow.
 */

/** What the letters of a parameter may be, by its name. */
const PARAMETERS: Record<string, string> = { id: '[0-9a-f-]+', slug: '[\\w-]{1,64}', team: '[\\w.-]{1,64}' };

/** The parameters of a pattern such as `/app/agents/:id`. */
export type Params<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
    ? { readonly [key in Name]: string } & Params<Rest>
    : Path extends `${string}:${infer Name}`
      ? { readonly [key in Name]: string }
      : Record<never, string>;

type View<Props extends Record<string, unknown>> = () => Promise<{ default: Component<Props> }>;

/** The component of a page may ask for the parameters of its address. */
type PageView<Path extends string> = View<{ params: Params<Path> }> | View<Record<string, never>>;

export interface Page<Path extends string = string> {
    readonly path: Path;
    /** Its name in the title of the window, in the palette and in lists. */
    readonly title: (params: Params<Path>) => string;
    readonly section: SectionName;
    /** Where Escape and the back button lead. */
    readonly up: string | undefined;
    readonly load: PageView<Path>;
}

interface About<Path extends string> {
    readonly title: string | ((params: Params<Path>) => string);
    readonly section: SectionName;
    readonly up?: string;
    readonly load: PageView<Path>;
}

function page<Path extends string>(path: Path, { title, section, up, load }: About<Path>): Page<Path> {
    return { path, title: typeof title === 'string' ? () => title : title, section, up, load };
}

/** A page of the settings. */
function setting<Path extends string>(path: Path, title: string, load: PageView<Path>): Page<Path> {
    return page(path, { title, section: 'settings', up: '/app/settings', load });
}

const threads = () => import('../threads/ThreadsPage.svelte');
const agents = () => import('../agents/AgentsPage.svelte');

export const PAGES = {
    inbox: page('/app', {
        title: 'Inbox',
        section: 'inbox',
        load: () => import('../inbox/InboxPage.svelte'),
    }),
    agents: page('/app/agents', { title: 'Agents', section: 'agents', load: agents }),
    agent: page('/app/agents/:id', { title: 'Agent', section: 'agents', up: '/app/agents', load: agents }),
    newAgent: page('/app/new', {
        title: 'New agent',
        section: 'agents',
        up: '/app/agents',
        load: () => import('../new/NewAgentPage.svelte'),
    }),
    threads: page('/app/threads', { title: 'Threads', section: 'threads', load: threads }),
    thread: page('/app/threads/:id', {
        title: 'Thread',
        section: 'threads',
        up: '/app/threads',
        load: threads,
    }),
    teams: page('/app/teams', {
        title: 'Teams',
        section: 'teams',
        load: () => import('../teams/TeamsPage.svelte'),
    }),
    team: page('/app/teams/:team', {
        title: ({ team }) => `${team} · Teams`,
        section: 'teams',
        up: '/app/teams',
        load: () => import('../teams/TeamPage.svelte'),
    }),
    search: page('/app/search', {
        title: 'Search',
        section: 'search',
        load: () => import('../search/SearchPage.svelte'),
    }),
    map: page('/app/map', { title: 'Map', section: 'map', load: () => import('../map/MapPage.svelte') }),
    cause: page('/app/causes/:id', {
        title: 'Request',
        section: 'map',
        up: '/app/map',
        load: () => import('../causes/CausePage.svelte'),
    }),
    settings: page('/app/settings', {
        title: 'Settings',
        section: 'settings',
        load: () => import('../settings/SettingsPage.svelte'),
    }),
    permissions: setting(
        '/app/settings/permissions',
        'Permissions',
        () => import('../settings/permissions/PermissionsPage.svelte'),
    ),
    rules: setting(
        '/app/settings/rules',
        'Remembered rules',
        () => import('../settings/rules/RulesPage.svelte'),
    ),
    providers: setting(
        '/app/settings/providers',
        'Providers',
        () => import('../settings/providers/ProvidersPage.svelte'),
    ),
    newProvider: page('/app/settings/new-provider', {
        title: 'Add a provider',
        section: 'settings',
        up: '/app/settings/providers',
        load: () => import('../settings/providers/NewProvider.svelte'),
    }),
    definitions: setting(
        '/app/settings/definitions',
        'Definitions',
        () => import('../settings/definitions/DefinitionsPage.svelte'),
    ),
    definition: page('/app/settings/definitions/:slug', {
        title: ({ slug }) => `${slug} · Definitions`,
        section: 'settings',
        up: '/app/settings/definitions',
        load: () => import('../settings/definitions/DefinitionPage.svelte'),
    }),
    // Apart from the definitions, because `new` is a slug like any other.
    newDefinition: page('/app/settings/new-definition', {
        title: 'New definition',
        section: 'settings',
        up: '/app/settings/definitions',
        load: () => import('../settings/definitions/NewDefinition.svelte'),
    }),
    notifications: setting(
        '/app/settings/notifications',
        'Notifications',
        () => import('../settings/notifications/NotificationsPage.svelte'),
    ),
    devices: setting(
        '/app/settings/devices',
        'Devices',
        () => import('../settings/devices/DevicesPage.svelte'),
    ),
    tokens: setting('/app/settings/tokens', 'Tokens', () => import('../settings/tokens/TokensPage.svelte')),
    worktrees: setting(
        '/app/settings/worktrees',
        'Worktrees',
        () => import('../settings/worktrees/WorktreesPage.svelte'),
    ),
    usage: setting('/app/settings/usage', 'Usage', () => import('../settings/usage/UsagePage.svelte')),
    appearance: setting(
        '/app/settings/appearance',
        'Appearance',
        () => import('../settings/AppearancePage.svelte'),
    ),
    keys: setting('/app/settings/keys', 'Keys', () => import('../settings/KeysPage.svelte')),
    diagnostics: setting(
        '/app/settings/diagnostics',
        'Diagnostics',
        () => import('../settings/diagnostics/DiagnosticsPage.svelte'),
    ),
};

export type PageName = keyof typeof PAGES;
type PathOf<Name extends PageName> = (typeof PAGES)[Name]['path'];

/** A page with the parameters of its address. */
export type Match = {
    [Name in PageName]: { readonly name: Name; readonly params: Params<PathOf<Name>> };
}[PageName];

/** Addresses that pages had before, and those of today. */
const MOVED: readonly (readonly [string, string])[] = [
    ['/app/', '/app'],
    ['/app/definitions', '/app/settings/definitions'],
    ['/app/definitions/:slug', '/app/settings/definitions/:slug'],
    ['/app/new-definition', '/app/settings/new-definition'],
];

const patterns = (Object.keys(PAGES) as PageName[]).map(
    (name) => [name, compiled(PAGES[name].path)] as const,
);
const moved = MOVED.map(([from, to]) => [compiled(from), to] as const);

/** Returns the page of a path, without its query. */
export function matched(path: string): Match | undefined {
    for (const [name, pattern] of patterns) {
        const found = pattern.exec(path);
        if (found) return { name, params: { ...found.groups } } as Match;
    }
    return undefined;
}

/** Returns where a page of an old address is now. */
export function redirected(path: string): string | undefined {
    for (const [pattern, to] of moved) {
        const found = pattern.exec(path);
        if (found) return filled(to, found.groups ?? {});
    }
    return undefined;
}

/** Returns the title of a page, as the window has it. */
export function titleOf(match: Match): string {
    return pageOf(match).title(match.params);
}

/** Returns what the table says about a page, with its parameters as words. */
export function pageOf(match: Match): Page<string> {
    return PAGES[match.name] as unknown as Page<string>;
}

/** Returns the address of a page. */
export function href<Name extends PageName>(name: Name, params: Params<PathOf<Name>>): string {
    return filled(PAGES[name].path, params);
}

function compiled(path: string): RegExp {
    return new RegExp(
        `^${path.replace(/:(\w+)/g, (_, name: string) => `(?<${name}>${PARAMETERS[name] ?? '[^/]+'})`)}$`,
    );
}

function filled(path: string, params: Readonly<Record<string, string>>): string {
    return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
