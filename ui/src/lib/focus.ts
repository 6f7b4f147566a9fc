import { tick } from 'svelte';

/** Puts the focus where it was before something lay over the page; if that is gone, to the heading of the page. */
export async function giveBack(before: Element | null): Promise<void> {
    await tick();
    const active = document.activeElement;
    // Someone else has it already.
    if (active && active !== document.body && active.checkVisibility()) return;
    const to = before?.isConnected ? before : document.querySelector('main h1');
    if (to instanceof HTMLElement) to.focus({ preventScroll: true });
}
