import { api } from '../lib/client';
import type { Provider } from '../lib/wire';

/** The providers as the daemon has them, read when a page asks for one that is not known yet. */
class Providers {
    private known = $state.raw<readonly Provider[]>([]);
    private reading = false;

    /** Returns a provider, once it is known. */
    of(name: string): Provider | undefined {
        return this.known.find((provider) => provider.name === name);
    }

    /** Reads them, unless this one is known. */
    async seek(name: string): Promise<void> {
        if (this.reading || this.known.some((provider) => provider.name === name)) return;
        this.reading = true;
        try {
            this.known = (await api.get('/api/providers')).providers;
        } catch {
            // What it can do is not offered, until it is asked for again.
        } finally {
            this.reading = false;
        }
    }
}

export const providers = new Providers();
