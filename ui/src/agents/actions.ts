import { isBusy, type Agent } from '../lib/wire';
import type { IconName } from '../ui/Icon.svelte';

/** What a person can do with an agent. The daemon decides whether it may be done; these only say what makes sense to ask for. */
export interface AgentAction {
    readonly id: ActionId;
    readonly label: string;
    readonly icon: IconName;
    /** It cannot be taken back: a dialog asks before. */
    readonly danger?: true;
    /** The first of its kind: a line is above it. */
    readonly apart?: true;
}

export type ActionId =
    | 'rename'
    | 'pin'
    | 'unpin'
    | 'notify'
    | 'unnotify'
    | 'label'
    | 'options'
    | 'select'
    | 'promote'
    | 'archive'
    | 'copy-handle'
    | 'copy-link'
    | 'stop'
    | 'close'
    | 'reopen'
    | 'clear'
    | 'delete';

/** What can be done with several agents at once. */
export type BulkAction = 'stop' | 'close' | 'reopen';

/** Returns what can be done with an agent as it is now. */
export function actionsOf(agent: Agent): AgentAction[] {
    const closed = isClosed(agent);
    const pinned = Boolean(agent.pinned_at);
    const all: (AgentAction | false)[] = [
        { id: 'rename', label: 'Rename…', icon: 'edit' },
        pinned ? { id: 'unpin', label: 'Unpin', icon: 'pin' } : { id: 'pin', label: 'Pin', icon: 'pin' },
        agent.notify_when_finished
            ? { id: 'unnotify', label: 'Stop notifying when it finishes', icon: 'bell' }
            : { id: 'notify', label: 'Notify me when it finishes', icon: 'bell' },
        { id: 'label', label: 'Labels…', icon: 'tag' },
        !closed && { id: 'options', label: 'Model and permissions…', icon: 'settings' },
        { id: 'select', label: 'Select', icon: 'check' },
        // Only one that another agent started has a parent to leave.
        Boolean(agent.parent) &&
            !closed && { id: 'promote', label: 'Promote to independent agent', icon: 'promote' },
        !closed && { id: 'archive', label: 'Archive', icon: 'inbox' },
        { id: 'copy-handle', label: 'Copy handle', icon: 'copy', apart: true },
        { id: 'copy-link', label: 'Copy link', icon: 'link' },
        isBusy(agent) && { id: 'stop', label: 'Stop', icon: 'stop', apart: true },
        closed
            ? { id: 'reopen', label: 'Reopen', icon: 'reopen', apart: true }
            : { id: 'close', label: 'Close', icon: 'archive', ...(!isBusy(agent) && { apart: true }) },
        !closed && { id: 'clear', label: 'Clear transcript…', icon: 'erase', danger: true, apart: true },
        { id: 'delete', label: 'Delete…', icon: 'trash', danger: true, ...(closed && { apart: true }) },
    ];
    return all.filter((action) => action !== false);
}

/** Says whether an action does something to an agent. */
export function applies(action: BulkAction, agent: Agent): boolean {
    if (action === 'stop') return isBusy(agent);
    return action === 'reopen' ? isClosed(agent) : !isClosed(agent);
}

export function isClosed(agent: Agent): boolean {
    return agent.status === 'closed';
}
