import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { DEFAULTS, read, toggled, written, type Grouping, type ListOptions } from './options';
import type { Anchor } from '../ui/anchor';
import type { MenuItem } from '../ui/MenuEntry.svelte';

const KEY = 'paseo.agents';

/** What asks before something is done to agents. */
export interface Asking {
    readonly what: 'label' | 'options' | 'clear' | 'delete';
    readonly agents: readonly string[];
}

/** How this browser shows the list of agents, and what a person is about to do there. */
class Listing {
    options = $state.raw<ListOptions>(stored());
    text = $state('');
    labels = $state.raw<readonly string[]>([]);
    readonly selected = new SvelteSet<string>();
    /** The agents in the order in which the list shows them; nothing where there is no list. */
    order: readonly string[] = [];
    /** From where Shift selects. */
    private anchor: string | undefined;
    /** The agent whose menu is open, and where. */
    menu = $state.raw<{
        readonly agent: string;
        readonly at: Anchor;
        /** It is that of the header, with what has no room there. */
        readonly header?: readonly MenuItem[];
    }>();
    /** The agent whose row, or whose header, has a field for its name. */
    renaming = $state<string>();
    retitling = $state<string>();
    /** Why the last action from the header of an agent failed. */
    headerProblem = $state.raw<{ readonly agent: string; readonly words: string }>();
    asking = $state.raw<Asking>();
    /** Why the last action on an agent failed. */
    readonly problems = new SvelteMap<string, string>();

    group(group: Grouping): void {
        this.change({ ...this.options, group });
    }

    show(more: Partial<Pick<ListOptions, 'background' | 'closed'>>): void {
        this.change({ ...this.options, ...more });
    }

    /** Folds a group away, or shows it again. */
    toggle(key: string): void {
        this.change(toggled(this.options, key));
    }

    /** Adds a label to those that agents have to have, or takes it away. */
    filter(label: string): void {
        this.labels = this.labels.includes(label)
            ? this.labels.filter((other) => other !== label)
            : [...this.labels, label];
    }

    unfilter(): void {
        this.text = '';
        this.labels = [];
    }

    select(id: string): void {
        if (!this.selected.delete(id)) this.selected.add(id);
        this.anchor = id;
    }

    /** Selects all from the one that was selected last to this one, in the order in which they are seen. */
    selectTo(id: string): void {
        const [from, to] = [this.order.indexOf(this.anchor ?? ''), this.order.indexOf(id)];
        if (from < 0 || to < 0) return this.select(id);
        for (const between of this.order.slice(Math.min(from, to), Math.max(from, to) + 1))
            this.selected.add(between);
        this.anchor = id;
    }

    /** Returns whether there was something to unselect. */
    unselect(): boolean {
        const had = this.selected.size > 0;
        this.selected.clear();
        this.anchor = undefined;
        return had;
    }

    /** Takes an agent out of everything that a person is about to do. */
    forget(id: string): void {
        this.selected.delete(id);
        this.problems.delete(id);
    }

    private change(options: ListOptions): void {
        this.options = options;
        try {
            localStorage.setItem(KEY, written(options));
        } catch {
            // Storage may be off; the options then last as long as the page.
        }
    }
}

function stored(): ListOptions {
    try {
        return read(localStorage.getItem(KEY));
    } catch {
        return DEFAULTS;
    }
}

export const listing = new Listing();
