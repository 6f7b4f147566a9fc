/** The names of what lies over a thread. */
export const INVITE = 'invite';
export const PEOPLE = 'people';
export const TOKEN = 'token';
