/** Returns how long a lease lasts still, as short as it is clear. */
export function leftWords(ms: number): string {
    if (ms <= 0) return 'expired';
    const seconds = Math.ceil(ms / 1000);
    const two = (number: number) => String(number).padStart(2, '0');
    if (seconds < 3600) return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
    return `${Math.floor(seconds / 3600)}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
}
