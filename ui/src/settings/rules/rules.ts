import { visible } from '../../lib/visible';
import type { Rule } from '../../lib/wire';

/** The rules of one project. */
export interface Group {
    readonly project: string;
    readonly rules: readonly Rule[];
}

/** Puts rules together by project. What is denied comes first, because it wins. */
export function grouped(rules: readonly Rule[]): Group[] {
    const projects = [...new Set(rules.map(({ project }) => project))].sort();
    return projects.map((project) => ({
        project,
        rules: rules
            .filter((rule) => rule.project === project)
            .sort((one, other) => Number(one.allow) - Number(other.allow)),
    }));
}

/** Returns what a rule is about, with nothing hidden in it. */
export function subject(rule: Rule): string {
    return visible(rule.covers);
}

/** Says to whom and where it applies. A denial reaches further than a permission. */
export function reach(rule: Rule): string {
    return rule.allow
        ? `Agents may do this here without asking, with the tool ${visible(rule.tool)}.`
        : 'No agent may do this here, below here or in a worktree of the repository, with any tool.';
}

/** Says what changes when it is forgotten. */
export function afterwards(rule: Rule): string {
    return rule.allow
        ? 'The next time an agent wants to do this, you are asked again.'
        : 'This is no longer denied: agents may do it if another rule or their permission mode allows it, and ask you otherwise.';
}
