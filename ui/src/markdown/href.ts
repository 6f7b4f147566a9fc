/** Returns the address if a person may safely follow it, with nothing done for them. */
export function safeHref(href: string): string | undefined {
    // Most of what is no address is told by its beginning; an exception takes its time.
    if (!/^(https?|mailto):/i.test(href)) return undefined;
    try {
        const url = new URL(href);
        return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
    } catch {
        return undefined;
    }
}
