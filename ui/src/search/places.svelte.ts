import { api } from '../lib/client';
import { folderOf, shownName, type Agent } from '../lib/wire';
import type { Choice } from './narrow';

/** Most projects and agents that are offered; the address takes any. */
const MOST = 500;

/** Where and with whom something can be looked for: all projects, and all agents, also those that no list shows. */
export class Places {
    projects = $state.raw<readonly Choice[]>([]);
    agents = $state.raw<readonly Choice[]>([]);

    async read(): Promise<void> {
        try {
            const { projects } = await api.get('/api/projects', { query: { limit: MOST } });
            this.projects = projects.map(({ path, name }) => [path, name]);
            // Closed agents are on pages behind those of the open ones.
            const query = { any_labels: true, all_statuses: true };
            const found: Agent[] = [];
            for await (const { sessions } of api.pages('/api/sessions', { query })) {
                found.push(...sessions);
                if (found.length >= MOST) break;
            }
            const agents = found.map((agent) => [valueOf(agent), wordsOf(agent)] as const);
            this.agents = agents.sort(([, one], [, other]) => one.localeCompare(other));
        } catch {
            // Without them one searches everywhere.
        }
    }
}

/** A handle of an agent that is closed may be another one's by now. */
function valueOf({ id, handle, status }: Agent): string {
    return status === 'closed' ? id : handle;
}

function wordsOf(agent: Agent): string {
    const name = `${shownName(agent)} · ${folderOf(agent.project)}`;
    return agent.status === 'closed' ? `${name} (closed)` : name;
}
