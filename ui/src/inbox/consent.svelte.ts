import { CONSENT_MS, Watch } from './still';

/**
 * Guards the controls of a decision: they count only after they were displayed and still for half a second, because a
 * button that slides under the pointer is not consent.
 */
export class Consent {
    /** Whether a click would count now. */
    ready = $state(false);
    private watch: Watch | undefined;

    /** Watches the element that holds the controls: `{@attach consent.guard}`. */
    readonly guard = (element: HTMLElement): (() => void) => {
        const watch = new Watch(element, (ready) => (this.ready = ready));
        this.watch = watch;
        return () => watch.end();
    };

    /** Begins again: what the controls do has changed, and that has to be seen first. */
    restart(): void {
        this.watch?.restart();
    }

    /** Returns how long the controls had been displayed and still at an event, or `undefined` if that was too short. */
    given(event: Event): number | undefined {
        const shown = this.watch?.shown(event) ?? 0;
        return shown < CONSENT_MS ? undefined : shown;
    }
}
