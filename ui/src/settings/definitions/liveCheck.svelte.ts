import { untrack } from 'svelte';
import { api } from '../../lib/client';
import type { DefinitionProblem } from '../../lib/wire';
import { remaining } from './catalogue';

/** How long the text must rest before it is checked. */
const REST_MS = 300;

/** What is wrong with a definition while it is being written. The daemon says it, which also reads the file later. */
export class LiveCheck {
    private last = $state.raw<{ text: string; problems: readonly DefinitionProblem[] }>();

    /** Returns the problems of a text. Until it was checked, those of the lines that are as they were. */
    of(text: string): readonly DefinitionProblem[] | undefined {
        return this.last && remaining(this.last.problems, this.last.text, text);
    }

    /** Notes the problems of a text that the daemon refused. */
    take(text: string, problems: readonly DefinitionProblem[]): void {
        this.last = { text, problems };
    }

    /** Checks a text when it has rested. Returns a function that stops this. */
    check(slug: string, text: string): () => void {
        if (untrack(() => this.last)?.text === text) return () => {};
        let stopped = false;
        const timer = setTimeout(async () => {
            try {
                const options = { path: { slug }, body: { text } };
                const { problems } = await api.post('/api/agents/{slug}/check', options);
                if (!stopped) this.take(text, problems);
            } catch {
                // The next change is checked again, and a save says why it fails.
            }
        }, REST_MS);
        return () => {
            stopped = true;
            clearTimeout(timer);
        };
    }
}
