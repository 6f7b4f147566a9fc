/** Names that people write. Another one stays as it is. */
const NAMED: Record<string, string> = {
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    laquo: '«',
    raquo: '»',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    bull: '•',
    middot: '·',
    times: '×',
    deg: '°',
    larr: '←',
    rarr: '→',
    uarr: '↑',
    darr: '↓',
};

/** Returns what `&amp;`, `&#38;` or `&#x26;` stands for. */
export function decoded(entity: string): string {
    const name = entity.slice(1, -1);
    if (!name.startsWith('#')) return (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined) ?? entity;
    const hex = /^#x/i.test(name);
    const code = Number.parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
