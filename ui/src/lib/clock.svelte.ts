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

/** Returns a duration for people. */
export function duration(ms: number): string {
    if (ms < 1000) return `${ms} ms`;
    if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
    return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Returns a moment as the person's place writes it. */
export function fullTime(moment: string): string {
    return new Date(moment).toLocaleString();
}
