/** The languages that are coloured. */
export const LANGUAGES = [
    'bash',
    'c',
    'cpp',
    'css',
    'diff',
    'go',
    'ini',
    'java',
    'javascript',
    'json',
    'markdown',
    'python',
    'rust',
    'sql',
    'typescript',
    'xml',
    'yaml',
] as const;

export type Language = (typeof LANGUAGES)[number];

const ALIASES: Readonly<Record<string, Language>> = {
    'c++': 'cpp',
    cc: 'cpp',
    cjs: 'javascript',
    golang: 'go',
    h: 'c',
    hpp: 'cpp',
    htm: 'xml',
    html: 'xml',
    js: 'javascript',
    jsonc: 'json',
    jsx: 'javascript',
    md: 'markdown',
    mjs: 'javascript',
    mts: 'typescript',
    patch: 'diff',
    py: 'python',
    rs: 'rust',
    sh: 'bash',
    shell: 'bash',
    svelte: 'xml',
    svg: 'xml',
    toml: 'ini',
    ts: 'typescript',
    tsx: 'typescript',
    vue: 'xml',
    yml: 'yaml',
    zsh: 'bash',
};

/** Returns our name for a language as it is written after a fence; `undefined` for one that is not coloured. */
export function languageOf(written: string): Language | undefined {
    const word = written.toLowerCase();
    const name = Object.hasOwn(ALIASES, word) ? ALIASES[word] : word;
    return LANGUAGES.find((language) => language === name);
}
