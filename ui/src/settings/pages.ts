import type { IconName } from '../ui/Icon.svelte';
import { PAGES, type PageName } from '../shell/routes';

export interface SettingsPage {
    readonly name: PageName;
    readonly path: string;
    readonly title: string;
    readonly words: string;
    readonly icon: IconName;
}

/** The pages without parameters: an entry of the list leads to the page itself. */
type Listed = {
    [Name in PageName]: (typeof PAGES)[Name]['path'] extends `${string}:${string}` ? never : Name;
}[PageName];

function listed(name: Listed, icon: IconName, words: string): SettingsPage {
    return { name, path: PAGES[name].path, title: PAGES[name].title({}), words, icon };
}

/** The pages of the settings, in the order of the list. */
export const SETTINGS: readonly SettingsPage[] = [
    listed('permissions', 'permissions', 'What agents may do with other agents'),
    listed('rules', 'rules', 'What you always allow or deny'),
    listed('providers', 'providers', 'The agent programs: which are ready, and how to set up the others'),
    listed('definitions', 'definition', 'Kinds of agents: what each may do, and which need your review'),
    listed('notifications', 'bell', 'When this device tells you that an agent needs you'),
    listed('devices', 'devices', 'Logged-in browsers, and a code to add another'),
    listed('tokens', 'tokens', 'Secrets for scripts and other programs'),
    listed('worktrees', 'worktrees', "Agents' checkouts and their unsaved work"),
    listed('usage', 'usage', 'Tokens and cost by day, project and model'),
    listed('appearance', 'sun', 'Light or dark'),
    listed('keys', 'keys', 'All shortcuts'),
    listed('diagnostics', 'diagnostics', 'Version, limits and paths of the daemon'),
];
