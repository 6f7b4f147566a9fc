import { matched, redirected } from './routes';

/** What the login page is told in the fragment of its address: nothing there is ever sent to a server. */
export interface Entry {
    /** Works once. */
    code: string | undefined;
    /** Where to go on to. */
    wanted: string | undefined;
}

/** Reads a fragment. It only leads to pages of this app, whatever the link says. */
export function entry(hash: string): Entry {
    const path = hash.startsWith('#to=') ? hash.slice('#to='.length) : undefined;
    return {
        code: /^#code=([0-9a-zA-Z_-]+)$/.exec(hash)?.[1],
        wanted: path !== undefined && (matched(path) ?? redirected(path)) ? path : undefined,
    };
}
