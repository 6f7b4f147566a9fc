import type { Component } from 'svelte';
import type { Agent } from '../../lib/wire';
import type { IconName } from '../../ui/Icon.svelte';

/** What people have switched on. */
export interface Offers {
    /** A shell of their own beside agents. */
    readonly shell: boolean;
}

export interface PanelType {
    readonly type: string;
    readonly title: string;
    readonly icon: IconName;
    /** What it is bound to: the agent of its session, or the one that is open. */
    readonly binds: 'session';
    /** Says for which agents there is anything to show; without it, for all. */
    readonly fits?: (agent: Agent, offers: Offers) => boolean;
    readonly load: () => Promise<{ default: Component<{ agent: Agent }> }>;
}

/** All types of panels. A new one is a line: the header of an agent, the sheet on phones and the palette follow. */
export const PANEL_TYPES: readonly PanelType[] = [
    {
        type: 'todo',
        title: 'To-do list',
        icon: 'todo',
        binds: 'session',
        load: () => import('../../conversation/panels/TodoPanel.svelte'),
    },
    {
        type: 'family',
        title: 'Family',
        icon: 'family',
        binds: 'session',
        load: () => import('../../conversation/panels/FamilyPanel.svelte'),
    },
    {
        type: 'files',
        title: 'Files',
        icon: 'files',
        binds: 'session',
        load: () => import('../../files/FilesPanel.svelte'),
    },
    {
        type: 'terminal',
        title: 'Terminal',
        icon: 'execute',
        binds: 'session',
        fits: (agent) => Boolean(agent.terminal),
        load: () => import('../../terminal/TerminalPanel.svelte'),
    },
    {
        type: 'shell',
        title: 'Shell',
        icon: 'person',
        binds: 'session',
        fits: (agent, { shell }) => shell && agent.status !== 'closed',
        load: () => import('../../terminal/ShellPanel.svelte'),
    },
    {
        type: 'info',
        title: 'Info',
        icon: 'info',
        binds: 'session',
        load: () => import('../../conversation/panels/InfoPanel.svelte'),
    },
];

export function panelType(type: string | null): PanelType | undefined {
    return PANEL_TYPES.find((found) => found.type === type);
}

/** Returns the types of panels that have anything to show for an agent. */
export function panelTypesOf(agent: Agent, offers: Offers): readonly PanelType[] {
    return PANEL_TYPES.filter(({ fits }) => !fits || fits(agent, offers));
}
