import { visibleLine } from '../lib/visible';
import { field, type Item } from '../lib/wire';

/** Who wrote a message to an agent. */
export type Origin =
    | { is: 'person' }
    /** Another agent, by the id of its session. */
    | { is: 'agent'; session: string }
    | { is: 'paseo' }
    | { is: 'other'; name: string };

/** Reads who wrote a message. Only what says so was written by a person. */
export function originOf(item: Item): Origin {
    return originFrom(field(item, 'origin') ?? '');
}

/** Reads who wrote a message from the daemon's word for it: `human:…`, `session:…` or `daemon`. */
export function originFrom(origin: string): Origin {
    const [kind, name] = split(origin);
    if (kind === 'human') return { is: 'person' };
    if (kind === 'session' && name) return { is: 'agent', session: name };
    if (origin === 'daemon') return { is: 'paseo' };
    return { is: 'other', name: visibleLine(origin) || 'unknown sender' };
}

function split(origin: string): [string, string] {
    const at = origin.indexOf(':');
    return at < 0 ? ['', ''] : [origin.slice(0, at), origin.slice(at + 1)];
}
