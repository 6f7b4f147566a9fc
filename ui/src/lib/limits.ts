/** The longest text that a field for messages takes, in characters. What was typed there is kept in full. */
export const LONGEST_TEXT = 200_000;
