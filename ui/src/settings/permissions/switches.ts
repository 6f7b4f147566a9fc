/** A setting that is on or off, in words. */
export interface Described {
    readonly key: string;
    readonly label: string;
    readonly words: string;
    readonly on: boolean;
}

const WORDS: readonly (readonly [key: string, label: string, words: string])[] = [
    ['perm_send_to_tab', 'Message other tabs', 'Allow agents to send messages to other open agents'],
    ['perm_read_tab', 'Read other tabs', 'Allow agents to read the last answer of other open agents'],
    ['perm_user_agent', 'Spawn user agents', 'Allow the AI to open new independent top-level tabs'],
    ['perm_summon', 'Start subagents', 'Allow agents to start subagents and wait for their answers'],
    ['perm_todo', 'Keep a to-do list', 'Allow agents without a definition to keep a to-do list'],
    ['web_shell', 'Your own shells', 'Allow people to open a shell of their own in an agent’s directory'],
];

/** Returns the settings that the daemon has: known ones first, in a fixed order, then those of a newer daemon. */
export function described(settings: Readonly<Record<string, boolean>>): Described[] {
    const known = WORDS.filter(([key]) => Object.hasOwn(settings, key));
    const others = Object.keys(settings)
        .filter((key) => !known.some(([name]) => name === key))
        .sort();
    return [
        ...known.map(([key, label, words]) => ({ key, label, words, on: settings[key] ?? false })),
        ...others.map((key) => ({ key, label: key, words: '', on: settings[key] ?? false })),
    ];
}
