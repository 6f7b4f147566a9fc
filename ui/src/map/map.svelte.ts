import { api, explain } from '../lib/client';
import { Reader } from '../lib/reader';
import type { MapView } from '../lib/wire';

/** The shortest time between two readings. */
const PAUSE_MS = 400;

/** The map as the daemon has it. */
export class MapStore {
    view = $state.raw<MapView>();
    problem = $state('');
    private readonly reader = new Reader(
        () => this.readOnce(),
        () => PAUSE_MS,
    );

    /** Shows all open agents, or only those at work. */
    constructor(private readonly all: () => boolean) {}

    readonly read = (): void => this.reader.read();
    /** A person asks for it. */
    readonly readNow = (): void => this.reader.readNow();

    end(): void {
        this.reader.end();
    }

    private async readOnce(): Promise<void> {
        const all = this.all();
        try {
            const view = await api.get('/api/map', { query: all ? { all } : {} });
            // Meanwhile something else was asked for, which is read next.
            if (all === this.all()) this.view = view;
            this.problem = '';
        } catch (error) {
            this.problem = explain(error);
        }
    }
}
