import { visible, visibleLine } from '../lib/visible';
import type { Definition } from '../lib/wire';

/** Something that a person can switch to. */
export interface Choice {
    readonly slug: string;
    readonly name: string;
    readonly description: string;
    /** The agent that is open follows it. */
    readonly current: boolean;
}

/**
 * Returns the definitions that people choose from: those that are used under their slug, are shown to clients, and are
 * no subagents. They come by name.
 */
export function selectable(definitions: readonly Definition[], current: string | undefined): Choice[] {
    return definitions
        .filter((definition) => definition.counts && definition.ui_visible && !definition.is_subagent)
        .map(({ slug, name, description }) => ({
            slug,
            name: visibleLine(name) || slug,
            description: visible(description ?? ''),
            current: slug === current,
        }))
        .sort((one, other) => one.name.localeCompare(other.name) || one.slug.localeCompare(other.slug));
}
