/** The name of the sheet in the history. */
export const SWITCH = 'switch';
