import type { NotificationSwitches } from '../../lib/wire';

export interface Kind {
    readonly key: keyof NotificationSwitches;
    readonly label: string;
    readonly words: string;
}

/** The kinds of notifications, in the order of the page. */
export const KINDS: readonly Kind[] = [
    { key: 'permission', label: 'Permission requests', words: 'An agent asks before it does something' },
    { key: 'question', label: 'Questions', words: 'An agent needs an answer from you' },
    { key: 'failure', label: 'Failures', words: 'A turn failed or was cut off' },
    {
        key: 'finished',
        label: 'Finished turns',
        words: 'Of agents for which you chose “Notify me when it finishes”',
    },
    {
        key: 'hold',
        label: 'Rate limits and held messages',
        words: 'An agent waits for a limit to end, or for you to release its messages',
    },
];
