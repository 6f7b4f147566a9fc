import { duration } from '../lib/duration';
import { visibleLine } from '../lib/visible';
import type { Cause, CauseAgent, CauseMessage } from '../lib/wire';

/** What people call an agent of a request. */
export function nameOf({ name, handle }: Pick<CauseAgent, 'name' | 'handle'>): string {
    return visibleLine(name ?? '') || handle;
}

/** Says in a word how a request is. */
export function stateOf({ stopped, running, waiting, turns }: Cause): string {
    if (running > 0) return stopped ? 'stopping' : 'running';
    if (stopped) return 'stopped';
    if (waiting > 0) return 'waiting';
    return turns.length > 0 ? 'finished' : 'not started';
}

/** There is something that a stop would end, or keep from starting: what could still be woken. */
export function canStop({
    stopped,
    running,
    waiting,
    wakes_left,
}: Pick<Cause, 'stopped' | 'running' | 'waiting' | 'wakes_left'>): boolean {
    return running > 0 || (!stopped && (waiting > 0 || wakes_left > 0));
}

/** Returns how long something took, or has taken until now. */
export function took(from: string | null | undefined, to: string | null | undefined, now: number): string {
    if (!from) return '';
    return duration(Math.max(0, Math.round((to ? Date.parse(to) : now) - Date.parse(from))));
}

/** Returns how long a request took, or has taken as long as something runs or waits for it. */
export function timeOf(cause: Cause, now: number): { readonly time: string; readonly goesOn: boolean } {
    const { running, waiting, stopped, opened_at, ended_at } = cause;
    const goesOn = running > 0 || (waiting > 0 && !stopped);
    const time = goesOn || ended_at ? took(opened_at, goesOn ? null : ended_at, now) : '';
    return { time: time || '–', goesOn };
}

/** Returns who sent a message. */
export function senderOf({ from, from_handle }: CauseMessage): string {
    if (from_handle) return from_handle;
    if (from.startsWith('human:')) return 'you';
    return from === 'daemon' ? 'Paseo' : visibleLine(from.slice(from.indexOf(':') + 1));
}

/** Returns how far a message has come. */
export function stageOf({ stage, reason }: CauseMessage): string {
    return reason ? `${stage} (${reason.replaceAll('_', ' ')})` : stage;
}
