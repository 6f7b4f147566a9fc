import type { Component, Snippet } from 'svelte';
import type { IconName } from '../ui/Icon.svelte';

/** The sections of the app: what the rail, the tabs and the shortcuts lead to. */

export type SectionName = 'inbox' | 'agents' | 'threads' | 'teams' | 'search' | 'map' | 'settings';

export interface Section {
    readonly name: SectionName;
    readonly title: string;
    readonly path: string;
    readonly icon: IconName;
    /** Where the rail shows it. */
    readonly at: 'top' | 'bottom';
    /** What stands around the pages of the section. */
    readonly layout?: () => Promise<{ default: Component<{ children: Snippet }> }>;
}

/** The sections in the order of the rail. */
export const SECTIONS: readonly Section[] = [
    { name: 'inbox', title: 'Inbox', path: '/app', icon: 'inbox', at: 'top' },
    { name: 'agents', title: 'Agents', path: '/app/agents', icon: 'agents', at: 'top' },
    { name: 'threads', title: 'Threads', path: '/app/threads', icon: 'threads', at: 'top' },
    { name: 'teams', title: 'Teams', path: '/app/teams', icon: 'teams', at: 'top' },
    { name: 'search', title: 'Search', path: '/app/search', icon: 'search', at: 'top' },
    { name: 'map', title: 'Map', path: '/app/map', icon: 'map', at: 'top' },
    {
        name: 'settings',
        title: 'Settings',
        path: '/app/settings',
        icon: 'settings',
        at: 'bottom',
        layout: () => import('../settings/SettingsLayout.svelte'),
    },
];
