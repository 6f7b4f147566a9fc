import type { Decision } from '../lib/wire';

/** How a permission request ended, in a word for people. */
export const DECIDED: Record<Decision, string> = {
    allow: 'Allowed',
    deny: 'Denied',
    withdrawn: 'Withdrawn',
};
