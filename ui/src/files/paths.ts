import { visibleLine } from '../lib/visible';
import type { FileEntry } from '../lib/wire';

/** A step of a path, from the agent's directory on. */
export interface Step {
    readonly name: string;
    readonly path: string;
}

/** Returns the steps that lead to a path; none for the agent's directory itself. */
export function steps(path: string): Step[] {
    const names = path.split('/').filter(Boolean);
    return names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') }));
}

/** Returns the path of an entry of a directory. */
export function under(directory: string, name: string): string {
    return directory === '' ? name : `${directory}/${name}`;
}

/** Returns the directory in which something is; `undefined` for the agent's directory itself. */
export function above(path: string): string | undefined {
    const all = steps(path);
    return all.length === 0 ? undefined : (all.at(-2)?.path ?? '');
}

/** Returns a name as people may see it: on one line, and with what would show nothing or turn it around written out. */
export function shownFile(name: string): string {
    return visibleLine(name);
}

/** Returns what opening an entry shows; `undefined` for one that cannot be opened. */
export function opensAs({ kind, leads_to, exact }: FileEntry): 'directory' | 'file' | undefined {
    const real = kind === 'symlink' ? leads_to : kind;
    return exact && (real === 'directory' || real === 'file') ? real : undefined;
}

/** Says what a name alone does not tell about an entry that is no plain file or directory. */
export function remark(entry: FileEntry): string | undefined {
    if (!entry.exact) return 'name is not UTF-8';
    if (entry.kind === 'special' || entry.leads_to === 'special') return 'special file';
    if (entry.kind === 'symlink') return entry.leads_to ? 'link' : 'broken link, or link to outside';
    return undefined;
}

/** Returns the language of a file by the end of its name, as it is written after a fence; else nothing. */
export function writtenIn(path: string): string {
    const name = steps(path).at(-1)?.name ?? '';
    const dot = name.lastIndexOf('.');
    return dot < 0 ? '' : name.slice(dot + 1);
}

/** Returns where the bytes of an image are. */
export function imagePath(session: string, path: string): string {
    return `/api/sessions/${encodeURIComponent(session)}/file?${new URLSearchParams({ path, raw: 'true' })}`;
}
