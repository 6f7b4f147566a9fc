import { api } from '../lib/client';
import { copy } from '../lib/copy';
import type { Agent } from '../lib/wire';
import { href } from '../shell/routes';
import type { ActionId } from './actions';

/** Does what needs no second question. Throws what the daemon said against it. */
export async function perform(
    action: Exclude<ActionId, 'rename' | 'label' | 'options' | 'select' | 'clear' | 'delete'>,
    agent: Agent,
): Promise<void> {
    const path = { id: agent.id };
    switch (action) {
        case 'stop':
            return void (await api.post('/api/sessions/{id}/stop', { path }));
        case 'close':
            return void (await api.post('/api/sessions/{id}/close', { path }));
        case 'reopen':
            return void (await api.post('/api/sessions/{id}/reopen', { path }));
        case 'archive':
            return void (await api.post('/api/sessions/{id}/archive', { path, body: {} }));
        case 'promote':
            return void (await api.post('/api/sessions/{id}/promote', { path }));
        case 'pin':
        case 'unpin':
            return void (await api.patch('/api/sessions/{id}', { path, body: { pinned: action === 'pin' } }));
        case 'notify':
        case 'unnotify':
            return notifyWhenFinished(agent.id, action === 'notify');
        case 'copy-handle':
            return copied(agent.handle);
        case 'copy-link':
            return copied(new URL(href('agent', { id: agent.id }), location.href).href);
    }
}

/** Sends notifications when an agent finishes, to the devices that want those, or does not any more. */
export async function notifyWhenFinished(id: string, notify: boolean): Promise<void> {
    await api.patch('/api/sessions/{id}', { path: { id }, body: { notify_when_finished: notify } });
}

export async function rename(id: string, name: string): Promise<void> {
    await api.patch('/api/sessions/{id}', { path: { id }, body: { name } });
}

export async function setLabel(id: string, key: string, value: string): Promise<void> {
    await api.patch('/api/sessions/{id}', { path: { id }, body: { set_labels: { [key]: value } } });
}

export async function unsetLabel(id: string, key: string): Promise<void> {
    await api.patch('/api/sessions/{id}', { path: { id }, body: { unset_labels: [key] } });
}

export async function clear(id: string): Promise<void> {
    await api.post('/api/sessions/{id}/clear', { path: { id } });
}

/** Deletes an agent; one that is in use only by `force`. */
export async function remove(id: string, force: boolean): Promise<void> {
    await api.delete('/api/sessions/{id}', { path: { id }, query: force ? { force } : {} });
}

async function copied(text: string): Promise<void> {
    if (!(await copy(text))) throw new Error(`the browser did not allow it; copy it yourself: ${text}`);
}
