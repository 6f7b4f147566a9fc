import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SOURCE = new URL('../', import.meta.url);

/** Fields with words of others: paths, branches, names of files. */
const FOREIGN = /^[\w.?![\]]+\.(directory|branch|project|file|path|cwd)$/;
/** Attributes that people see or hear. What goes to a component is shown by that. */
const SEEN = /(?:^|\s)(title|aria-label|placeholder|alt)=$/;
const ATTRIBUTE = /(?:^|\s)[\w-]+=$/;

/** Returns the expressions of a component that show words of others as they are. */
function leaks(component: string): string[] {
    const markup = component.replace(
        /<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g,
        '',
    );
    return [...markup.matchAll(/([^{}]*)\{([^{}]+)\}/g)].flatMap(([, before = '', code = '']) => {
        const expression = code.trim();
        if (!FOREIGN.test(expression)) return [];
        return ATTRIBUTE.test(before) && !SEEN.test(before) ? [] : [expression];
    });
}

it('finds words of others that are shown as they are', () => {
    expect(leaks('<p title={agent.directory}>{agent.worktree.branch}</p>')).toHaveLength(2);
    expect(leaks('<p title="Branch {worktree?.branch} in it"></p>')).toHaveLength(1);
    expect(leaks('<Composer directory={agent.directory} /><p>{visibleLine(a.path)}</p>')).toEqual([]);
});

it('finds none in the app', () => {
    const components = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.svelte'),
    );
    expect(components.length).toBeGreaterThan(100);
    const found = components.flatMap((path) =>
        leaks(readFileSync(new URL(path, SOURCE), 'utf8')).map((expression) => `${path}: ${expression}`),
    );
    expect(found).toEqual([]);
});
