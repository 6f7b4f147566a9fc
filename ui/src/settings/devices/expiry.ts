/** Returns the time left until a moment as minutes and seconds, or nothing once it has passed. */
export function timeLeft(until: string, now: number): string | undefined {
    const seconds = Math.ceil((Date.parse(until) - now) / 1000);
    if (!(seconds > 0)) return undefined;
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
