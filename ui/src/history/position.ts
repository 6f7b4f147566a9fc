/** A point in the history of a team or a thread: the version of its newest event then. `undefined` is the present. */
export type Position = number | undefined;

/** Returns the position of a version. The newest one is the present, which goes on. */
export function positionOf(version: number, newest: number): Position {
    const within = Math.max(1, Math.round(version));
    return within >= newest ? undefined : within;
}

/** Returns the version at a position. */
export function versionAt(position: Position, newest: number): number {
    return position === undefined ? newest : Math.min(position, newest);
}

/** Returns the position some events away, within the history. */
export function stepped(position: Position, by: number, newest: number): Position {
    return positionOf(versionAt(position, newest) + by, newest);
}

/** Says whether there is an event before a position, or after it. */
export function canStep(position: Position, by: number, newest: number): boolean {
    return stepped(position, by, newest) !== position;
}

/** Returns how far a position is from the first event to the present, from 0 to 1. */
export function shareOf(position: Position, newest: number): number {
    return newest <= 1 ? 1 : (versionAt(position, newest) - 1) / (newest - 1);
}

/** Returns a moment to the second, with the day unless that is today. */
export function momentWords(moment: string, now: number): string {
    const when = new Date(moment);
    const time = when.toLocaleTimeString([], {
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        hourCycle: 'h23',
    });
    if (when.toDateString() === new Date(now).toDateString()) return time;
    const year = when.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' as const };
    return `${when.toLocaleDateString([], { day: 'numeric', month: 'short', ...year })}, ${time}`;
}

/** Returns a number of events in words. */
export function countWords(events: number, noun = 'event'): string {
    return events === 1 ? `1 ${noun}` : `${events} ${noun}s`;
}

/** Returns a moment as a field for local time has it, to the second. */
export function fieldValue(moment: string): string {
    const when = new Date(moment);
    const local = new Date(when.getTime() - when.getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 19);
}

/** Returns the entered moment as the daemon reads it. A second is over at its end, or now. */
export function momentOf(value: string, now: number): string | undefined {
    const second = new Date(value).getTime();
    if (Number.isNaN(second)) return undefined;
    return new Date(second <= now ? Math.min(second + 999, now) : second).toISOString();
}
