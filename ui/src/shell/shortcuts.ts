import { PANEL_TYPES } from './panels/types';
import { SECTIONS, type SectionName } from './routes';

/**
 * All shortcuts. The table drives what keys do, the help and the palette: what is not here does not exist, and what is
 * here works.
 *
 * `Mod` is ⌘ on a Mac and Ctrl elsewhere. Keys with a space between them are pressed one after the other.
 */
export interface Shortcut {
    readonly id: string;
    readonly keys: readonly string[];
    /** Where it works. */
    readonly when: Scope;
    readonly words: string;
    /** A part of the page handles its keys itself: the table only tells of them. */
    readonly told?: true;
    /** The palette does not offer it. */
    readonly hidden?: true;
}

/** Everywhere, in one section, with an agent open, or while an agent works. */
export type Scope = 'anywhere' | SectionName | 'agent' | 'busy';

/** Where the page is, as far as shortcuts depend on it. */
export interface Place {
    readonly section: SectionName | undefined;
    readonly agent: boolean;
    readonly busy: boolean;
}

const JUMPS: Record<SectionName, string> = {
    inbox: 'g i',
    agents: 'g a',
    threads: 'g t',
    teams: 'g e',
    search: 'g s',
    map: 'g m',
    settings: 'g ,',
};

export const SHORTCUTS: readonly Shortcut[] = [
    ...SECTIONS.map(({ name, title }, at): Shortcut => ({
        id: `go:${name}`,
        keys: [JUMPS[name], `Mod+${at + 1}`],
        when: 'anywhere',
        words: `go to ${title}`,
        hidden: true,
    })),
    // Browsers keep Ctrl-N for themselves, except in an installed app.
    { id: 'new', keys: ['c', 'Mod+n'], when: 'anywhere', words: 'new agent' },
    { id: 'switch', keys: ['s'], when: 'anywhere', words: 'switch to another agent' },
    { id: 'next', keys: ['j'], when: 'agents', words: 'next agent' },
    { id: 'previous', keys: ['k'], when: 'agents', words: 'previous agent' },
    { id: 'list', keys: ['↑', '↓'], when: 'agents', words: 'move in the list', told: true },
    { id: 'filter', keys: ['f'], when: 'agents', words: 'filter the list' },
    { id: 'select', keys: ['x'], when: 'agents', words: 'select the agent' },
    { id: 'range', keys: ['Shift+click'], when: 'agents', words: 'select all up to here', told: true },
    { id: 'menu', keys: ['m'], when: 'agents', words: 'open the menu of the agent' },
    { id: 'rename', keys: ['r'], when: 'agents', words: 'rename the agent' },
    // It acts on the entry with the focus or the pointer; in the palette, there is none.
    { id: 'archive', keys: ['e'], when: 'inbox', words: 'archive the entry', hidden: true },
    { id: 'archive-agent', keys: ['e'], when: 'agents', words: 'archive the agent: hide it from the inbox' },
    { id: 'entry-next', keys: ['j'], when: 'inbox', words: 'next entry of the inbox', hidden: true },
    { id: 'entry-previous', keys: ['k'], when: 'inbox', words: 'previous entry of the inbox', hidden: true },
    { id: 'task-new', keys: ['n'], when: 'teams', words: 'new task, or new team' },
    { id: 'task-move', keys: ['↑', '↓', '←', '→'], when: 'teams', words: 'move between tasks', told: true },
    {
        id: 'task-shift',
        keys: ['Shift+←', 'Shift+→'],
        when: 'teams',
        words: 'move the task to the next column, as a drag does',
        told: true,
    },
    { id: 'task-menu', keys: ['m'], when: 'teams', words: 'open the menu of the task', hidden: true },
    // Only where one is open: the palette would offer it with the list, too.
    { id: 'team-history', keys: ['h'], when: 'teams', words: 'history of the team', hidden: true },
    { id: 'write', keys: ['/'], when: 'agent', words: 'write to the agent' },
    { id: 'stop', keys: ['.'], when: 'busy', words: 'stop the agent' },
    {
        id: 'send',
        keys: ['Enter'],
        when: 'agent',
        words: 'send; a busy agent reads it after its turn',
        told: true,
    },
    { id: 'interrupt', keys: ['Mod+Enter'], when: 'agent', words: 'send and interrupt the turn', told: true },
    { id: 'line', keys: ['Shift+Enter'], when: 'agent', words: 'new line', told: true },
    {
        id: 'queue',
        keys: ['Alt+↑', 'Alt+↓'],
        when: 'agent',
        words: 'move a queued message up or down',
        told: true,
    },
    { id: 'thread-next', keys: ['j'], when: 'threads', words: 'next thread' },
    { id: 'thread-previous', keys: ['k'], when: 'threads', words: 'previous thread' },
    { id: 'thread-write', keys: ['/'], when: 'threads', words: 'write to the thread' },
    { id: 'thread-invite', keys: ['i'], when: 'threads', words: 'invite an agent to the thread' },
    { id: 'thread-history', keys: ['h'], when: 'threads', words: 'history of the thread', hidden: true },
    { id: 'definitions', keys: ['d'], when: 'anywhere', words: 'definitions of agents', hidden: true },
    { id: 'save', keys: ['Mod+s'], when: 'settings', words: 'save a definition', told: true },
    ...PANEL_TYPES.map(({ type, title }): Shortcut => ({
        id: `panel:${type}`,
        keys: [],
        when: 'agent',
        words: `open or close the ${title} panel`,
    })),
    { id: 'above', keys: ['Backspace'], when: 'agent', words: 'in Files: one directory up', told: true },
    { id: 'reset-layout', keys: [], when: 'agents', words: 'reset the layout of list and panels' },
    { id: 'palette', keys: ['Mod+k'], when: 'anywhere', words: 'go anywhere, do anything', hidden: true },
    { id: 'colours', keys: [], when: 'anywhere', words: 'change the theme' },
    {
        id: 'up',
        keys: ['Escape'],
        when: 'anywhere',
        words: 'leave the text field, then the past, then the page',
        hidden: true,
    },
    { id: 'help', keys: ['?'], when: 'anywhere', words: 'show all keys' },
];

/** Says whether a shortcut works at a place. */
export function applies({ when }: Shortcut, place: Place): boolean {
    if (when === 'anywhere') return true;
    if (when === 'agent') return place.agent;
    if (when === 'busy') return place.agent && place.busy;
    return place.section === when;
}

/** A key as it was pressed. */
export interface Press {
    readonly key: string;
    readonly mod: boolean;
    /** Any other key that changes the meaning, such as Alt. */
    readonly other: boolean;
    readonly inText: boolean;
}

/** How long the first of two keys waits for the second. */
export const TOGETHER_MS = 1500;

/** Reads keys one by one: some shortcuts are two of them. */
export class KeyReader {
    private begun = '';
    private since = 0;

    constructor(private readonly table: readonly Shortcut[] = SHORTCUTS) {}

    /** Takes a key at a moment. Returns the shortcut that is complete with it. */
    take(press: Press, place: Place, now: number): Shortcut | undefined {
        const before = now - this.since <= TOGETHER_MS ? this.begun : '';
        this.begun = '';
        if (press.other || (press.inText && !press.mod)) return undefined;
        const word = press.mod ? `Mod+${press.key.toLowerCase()}` : press.key;
        const able = this.table.filter((shortcut) => !shortcut.told && applies(shortcut, place));
        const exact = (keys: string) => able.find((shortcut) => shortcut.keys.includes(keys));
        const found = (before && exact(`${before} ${word}`)) || exact(word);
        if (found) return found;
        if (able.some(({ keys }) => keys.some((key) => key.startsWith(`${word} `)))) {
            this.begun = word;
            this.since = now;
        }
        return undefined;
    }
}

/** Returns keys as they are shown: each with what is pressed together with it, those in a row one after the other. */
export function shownKeys(keys: string, mac: boolean): readonly string[] {
    return keys.split(/[ +]/).map((key) => SHOWN[key]?.[mac ? 1 : 0] ?? key);
}

const SHOWN: Record<string, readonly [string, string]> = {
    Mod: ['Ctrl', '⌘'],
    Escape: ['Esc', 'esc'],
    Shift: ['Shift', '⇧'],
    Enter: ['Enter', '↵'],
};
