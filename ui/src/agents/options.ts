/** By what the list of agents is divided. Of labels, one key: an agent has one value of it, so it is listed once. */
export type Grouping = 'project' | 'status' | 'definition' | `label:${string}`;

/** How this browser shows the list of agents. */
export interface ListOptions {
    readonly group: Grouping;
    /** Also agents without `ui=true`. */
    readonly background: boolean;
    readonly closed: boolean;
    /** The groups that are folded away, by grouping and key. */
    readonly collapsed: readonly string[];
}

export const DEFAULTS: ListOptions = { group: 'project', background: false, closed: false, collapsed: [] };

/** Options of another version are not read. */
const VERSION = 1;
/** Groups come and go; what is remembered of them does not grow without end. */
const MOST_COLLAPSED = 200;

/** Writes options as they are kept in the browser. */
export function written(options: ListOptions): string {
    return JSON.stringify({ version: VERSION, ...options });
}

/** Reads options. Anything that is not one is as by default. */
export function read(text: string | null): ListOptions {
    try {
        const { version, group, background, closed, collapsed } = JSON.parse(text ?? '') as Record<
            string,
            unknown
        >;
        if (version !== VERSION) return DEFAULTS;
        return {
            group: isGrouping(group) ? group : DEFAULTS.group,
            background: background === true,
            closed: closed === true,
            collapsed: Array.isArray(collapsed)
                ? collapsed.filter((key) => typeof key === 'string').slice(-MOST_COLLAPSED)
                : [],
        };
    } catch {
        return DEFAULTS;
    }
}

/** Folds a group away, or shows it again. */
export function toggled(options: ListOptions, key: string): ListOptions {
    const others = options.collapsed.filter((other) => other !== key);
    const folds = others.length === options.collapsed.length;
    return { ...options, collapsed: folds ? [...others, key].slice(-MOST_COLLAPSED) : others };
}

/** Returns the key of the labels by which the list is divided. */
export function labelKey(group: Grouping): string | undefined {
    return group.startsWith('label:') ? group.slice('label:'.length) : undefined;
}

function isGrouping(value: unknown): value is Grouping {
    if (typeof value !== 'string') return false;
    return ['project', 'status', 'definition'].includes(value) || /^label:./.test(value);
}
