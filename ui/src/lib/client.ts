import { visible } from './visible';
import { Paseo, PaseoError } from '@paseo/client';

/** Called when the daemon does not know this browser (any more). */
let onStranger: () => void = () => {};

export function whenStranger(act: () => void): void {
    onStranger = act;
}

/** The daemon that served this page. The browser's cookie says who asks. */
export const api = new Paseo({
    onRefusal: ({ status }) => {
        if (status === 401) onStranger();
    },
});

/** Returns words for an error, for people. */
export function explain(error: unknown): string {
    if (error instanceof PaseoError)
        return visible(error.hint ? `${error.message} (${error.hint})` : error.message);
    // Also of a daemon that cannot be reached: that error has words for people.
    return visible(error instanceof Error ? error.message : String(error));
}
