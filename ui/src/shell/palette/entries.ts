import { actionsOf } from '../../agents/actions';
import { doTo } from '../../agents/acting';
import { shownName } from '../../lib/wire';
import { SETTINGS } from '../../settings/pages';
import { mac } from '../keyboard';
import type { Live } from '../live.svelte';
import { route } from '../route.svelte';
import { SECTIONS } from '../routes';
import { applies, SHORTCUTS, shownKeys, type Place, type Shortcut } from '../shortcuts';
import type { Entry } from './found';

/** Returns everything that the palette offers at a place: pages, agents, and what can be done there. */
export function entries(live: Live, place: Place, perform: (id: string) => void): Entry[] {
    const keysOf = (id: string) => hint(SHORTCUTS.find((shortcut) => shortcut.id === id));
    const pages = [
        ...SECTIONS.map(({ name, title, path }) => ({ path, title, detail: keysOf(`go:${name}`) })),
        ...SETTINGS.map(({ name, path, title, words }) => ({
            path,
            title,
            also: `settings ${words}`,
            detail: keysOf(name) || 'Settings',
        })),
    ];
    return [
        ...pages.map(({ path, ...page }) => ({
            id: path,
            group: 'Go to',
            ...page,
            run: () => route.go(path),
        })),
        ...SHORTCUTS.filter((shortcut) => !shortcut.told && !shortcut.hidden && applies(shortcut, place)).map(
            (shortcut) => ({
                id: shortcut.id,
                group: 'Run',
                title: sentence(shortcut.words),
                detail: hint(shortcut),
                run: () => perform(shortcut.id),
            }),
        ),
        ...ofOpen(live),
        ...live.agents.list.map((agent) => ({
            id: agent.id,
            group: 'Agents',
            title: shownName(agent),
            also: `${agent.handle} ${agent.project}`,
            detail: agent.handle,
            run: () => route.follow(agent.id),
        })),
    ];
}

/** Returns what can be done with the agent that is open. */
function ofOpen({ agent }: Live): Entry[] {
    if (!agent) return [];
    return actionsOf(agent)
        .filter(({ id }) => id !== 'select' && id !== 'stop')
        .map((action) => ({
            id: `agent:${action.id}`,
            group: 'This agent',
            title: action.label,
            also: shownName(agent),
            run: () => void doTo(action, agent, true),
        }));
}

function hint(shortcut: Shortcut | undefined): string {
    const [first] = shortcut?.keys ?? [];
    return first ? shownKeys(first, mac).join(' ') : '';
}

function sentence(words: string): string {
    return words.charAt(0).toUpperCase() + words.slice(1);
}
