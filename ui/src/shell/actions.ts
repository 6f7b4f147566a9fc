import { actionsOf } from '../agents/actions';
import { doTo } from '../agents/acting';
import { listing } from '../agents/listing.svelte';
import { listColumn } from './listColumn.svelte';
import type { Live } from './live.svelte';
import { hasRoomForPanels, panels } from './panels/store.svelte';
import { PANEL_TYPES } from './panels/types';
import { route } from './route.svelte';
import { href, SECTIONS } from './routes';
import { SWITCH } from '../switch/sheet';
import { theme } from './theme.svelte';

/** Does what a shortcut says, by its id in the table. */
export function act(id: string, live: Live): void {
    const panel = PANEL_TYPES.find(({ type }) => id === `panel:${type}`);
    if (panel) return togglePanel(panel.type);
    const section = SECTIONS.find(({ name }) => id === `go:${name}`);
    if (section) return route.go(section.path);
    switch (id) {
        case 'next':
        case 'previous': {
            const next = neighbour(inOrder(live), route.agent, id === 'next' ? 1 : -1);
            if (next) route.open(next);
            return;
        }
        case 'filter':
            return document.getElementById('agent-filter')?.focus();
        case 'select':
        case 'menu':
        case 'rename':
            return onRow(id);
        case 'task-new':
            return document.querySelector<HTMLElement>('main [data-new]')?.click();
        case 'task-menu':
            return openTaskMenu();
        case 'archive': {
            const entry = document.activeElement?.closest('[data-entry]');
            const meant = entry ?? document.querySelector('[data-entry]:hover');
            return meant?.querySelector<HTMLElement>('[data-archive]')?.click();
        }
        case 'archive-agent':
            return archiveRow(live);
        case 'entry-next':
        case 'entry-previous':
            return moveInInbox(id === 'entry-next' ? 1 : -1);
        case 'thread-next':
        case 'thread-previous': {
            const next = neighbour(threads(), route.thread, id === 'thread-next' ? 1 : -1);
            if (next) route.go(href('thread', { id: next }), route.thread !== undefined);
            return;
        }
        case 'thread-invite':
            return document.querySelector<HTMLElement>('main [data-invite]')?.click();
        case 'team-history':
        case 'thread-history':
            return document.querySelector<HTMLElement>('main [data-history]')?.click();
        case 'thread-write':
        case 'write':
            return document.getElementById('composer')?.focus();
        case 'stop':
            // The button itself shows that it stops, and why it could not.
            return document.getElementById('stop-agent')?.click();
        case 'new':
            return route.go(href('newAgent', {}));
        case 'switch':
            return route.openSheet(SWITCH);
        case 'definitions':
            return route.definitions();
        case 'reset-layout':
            panels.reset();
            return listColumn.reset();
        case 'colours':
            return theme.next();
        case 'up':
            if (!backToNow() && !listing.unselect()) up();
            return;
    }
}

/** Leaves the past for the present. Returns whether there was a past. */
function backToNow(): boolean {
    const now = document.querySelector<HTMLElement>('main [data-now]:enabled');
    now?.click();
    return now !== null;
}

/** Opens a panel beside the agent, or over it where there is no room; or closes it. */
export function togglePanel(type: string): void {
    if (hasRoomForPanels()) panels.toggle(type);
    else if (route.query.get('panel') === type) route.unask('panel');
    else route.ask('panel', type);
}

/** Goes to the page above. From an agent, the focus goes to its row. */
export function up(): void {
    const from = route.agent;
    route.up();
    if (from)
        requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-agent="${from}"]`)?.focus());
}

/** Does something with the row that has the focus, else with that of the agent that is open. */
function onRow(id: 'select' | 'menu' | 'rename'): void {
    const focused = document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-agent]');
    const row = focused ?? document.querySelector<HTMLElement>('[data-agent][aria-current]');
    const agent = row?.dataset['agent'];
    if (!row || !agent) return;
    if (id === 'select') listing.select(agent);
    else if (id === 'menu') listing.menu = { agent, at: row.getBoundingClientRect() };
    else listing.renaming = agent;
}

/** Opens the menu of the task that has the focus, else of the one below the pointer. */
function openTaskMenu(): void {
    const focused = document.activeElement?.closest('[data-task]');
    const card = focused ?? document.querySelector('[data-task]:hover');
    card?.querySelector<HTMLElement>('[data-menu]')?.click();
}

/** Archives the agent of the row that has the focus, else the one that is open. */
function archiveRow(live: Live): void {
    const focused = document.activeElement?.closest('li')?.querySelector<HTMLElement>('[data-agent]');
    const agent = live.agents.get(focused?.dataset['agent'] ?? route.agent ?? '');
    const action = agent && actionsOf(agent).find(({ id }) => id === 'archive');
    if (agent && action) void doTo(action, agent, agent.id === route.agent && !focused);
}

/** Puts the focus on the entry of the inbox a step away; on the first when none has it. */
function moveInInbox(step: 1 | -1): void {
    const entries = [...document.querySelectorAll<HTMLElement>('main [data-stop]:has(a)')];
    const at = entries.findIndex((entry) => entry.contains(document.activeElement));
    const next = at < 0 ? entries[0] : entries[at + step];
    next?.querySelector<HTMLElement>('a')?.focus();
    next?.scrollIntoView({ block: 'nearest' });
}

/** Returns the agents in the order of the list; where there is no list, in the order that it would have. */
function inOrder(live: Live): readonly string[] {
    return listing.order.length > 0 ? listing.order : live.agents.list.map((agent) => agent.id);
}

/** Returns the threads of the list in the order in which they are seen. */
function threads(): string[] {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-thread]')];
    return rows.map((row) => row.dataset['thread'] ?? '');
}

/** Returns the agent a step away from the chosen one; the first when none is chosen. */
function neighbour(list: readonly string[], chosen: string | undefined, step: 1 | -1): string | undefined {
    const at = chosen === undefined ? -1 : list.indexOf(chosen);
    return at < 0 ? list[0] : list[at + step];
}
