/**
 * Returns what a word means that this page does not know. The compiler says that nothing comes here; a daemon that is
 * newer than the page may say more.
 */
export function unknown<Meaning>(word: never, meaning: Meaning): Meaning {
    void word;
    return meaning;
}
