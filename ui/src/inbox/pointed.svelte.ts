/** Says whether a person points at an element, with the pointer or the keyboard. */
export class Pointed {
    private pointer = $state(false);
    private keyboard = $state(false);

    get here(): boolean {
        return this.pointer || this.keyboard;
    }

    /** Watches an element: `{@attach pointed.watch}`. */
    readonly watch = (element: HTMLElement): (() => void) => {
        const listeners = new AbortController();
        const on = <Name extends keyof HTMLElementEventMap>(
            name: Name,
            act: (event: HTMLElementEventMap[Name]) => void,
        ) => element.addEventListener(name, act, { signal: listeners.signal });
        on('pointerenter', () => (this.pointer = true));
        on('pointerleave', () => (this.pointer = false));
        // A finger leaves the focus behind, and is elsewhere.
        on('focusin', ({ target }) => (this.keyboard = (target as Element).matches(':focus-visible')));
        // An entry that is taken away while it is drawn takes the focus along: state must not change in the middle of that.
        on('focusout', () =>
            queueMicrotask(() => {
                if (!element.contains(document.activeElement)) this.keyboard = false;
            }),
        );
        return () => listeners.abort();
    };
}
