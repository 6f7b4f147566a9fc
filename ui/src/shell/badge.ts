/** Shows a number at the icon of the installed app: how many things need a person. Nothing where there is no icon. */
export async function badge(count: number): Promise<void> {
    if (!('setAppBadge' in navigator) || !matchMedia('(display-mode: standalone)').matches) return;
    try {
        await navigator.setAppBadge(count);
    } catch {
        // The next change brings another chance.
    }
}
