import { api, explain } from '../lib/client';
import type { Task } from '../lib/wire';
import { PERSON, type Act } from './moves';

/** Does something with a task. Returns why it was refused. */
export async function perform(team: string, task: Task, act: Act): Promise<string | undefined> {
    const path = { team, task: task.id };
    // The lease that the person saw: whoever got the task since keeps it.
    const epoch = task.lease?.epoch ?? task.epoch;
    try {
        switch (act.is) {
            case 'claim':
                await api.post('/api/teams/{team}/tasks/{task}/claim', { path, body: {} });
                break;
            case 'renew':
                await api.post('/api/teams/{team}/tasks/{task}/renew', { path, body: { epoch } });
                break;
            case 'complete':
                await api.post('/api/teams/{team}/tasks/{task}/complete', { path, body: { epoch } });
                break;
            case 'fail':
                await api.post('/api/teams/{team}/tasks/{task}/fail', { path, body: { epoch } });
                break;
            case 'release':
                // Only the holder gives a task back; from another it is taken.
                if (task.lease?.holder === PERSON)
                    await api.post('/api/teams/{team}/tasks/{task}/release', { path, body: { epoch } });
                else await api.post('/api/teams/{team}/tasks/{task}/reassign', { path, body: {} });
                break;
            case 'assign':
                await api.post('/api/teams/{team}/tasks/{task}/reassign', { path, body: { to: act.to } });
                break;
            case 'depend':
                await api.patch('/api/teams/{team}/tasks/{task}', { path, body: { deps: [...act.deps] } });
                break;
            case 'cancel':
                await api.post('/api/teams/{team}/tasks/{task}/cancel', { path });
                break;
            case 'retry':
                await api.post('/api/teams/{team}/tasks/{task}/retry', { path });
                break;
        }
        return undefined;
    } catch (error) {
        return explain(error);
    }
}
