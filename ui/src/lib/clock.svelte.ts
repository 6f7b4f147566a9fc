export { duration } from './duration';

/** The present, for showing how long ago something was. */
class Clock {
    now = $state(Date.now());

    constructor() {
        setInterval(() => (this.now = Date.now()), 10_000);
    }
}

export const clock = new Clock();

/** Returns how long ago a moment was, in as few characters as possible. */
export function ago(moment: string, now: number): string {
    const seconds = Math.max(0, Math.floor((now - Date.parse(moment)) / 1000));
    if (seconds < 45) return 'now';
    const minutes = Math.round(seconds / 60);
    if (minutes < 60) return `${minutes}m`;
    const hours = Math.round(minutes / 60);
    if (hours < 24) return `${hours}h`;
    return `${Math.round(hours / 24)}d`;
}

/** Returns a moment as the person's place writes it. */
export function fullTime(moment: string): string {
    return new Date(moment).toLocaleString();
}

/** Returns when something was, as short as it is clear: the time of today, else the day. */
export function shortTime(moment: string): string {
    const when = new Date(moment);
    const today = when.toDateString() === new Date().toDateString();
    return today
        ? when.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
        : when.toLocaleDateString([], { day: 'numeric', month: 'short' });
}
