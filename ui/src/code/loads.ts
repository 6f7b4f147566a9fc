import type { LanguageFn } from 'highlight.js';
import type { Language } from './languages';

type Load = () => Promise<{ default: LanguageFn }>;

/** Each language is a file of its own, loaded when it is first needed. */
const LOADS: Readonly<Record<Language, Load>> = {
    bash: () => import('highlight.js/lib/languages/bash'),
    c: () => import('highlight.js/lib/languages/c'),
    cpp: () => import('highlight.js/lib/languages/cpp'),
    css: () => import('highlight.js/lib/languages/css'),
    diff: () => import('highlight.js/lib/languages/diff'),
    go: () => import('highlight.js/lib/languages/go'),
    ini: () => import('highlight.js/lib/languages/ini'),
    java: () => import('highlight.js/lib/languages/java'),
    javascript: () => import('highlight.js/lib/languages/javascript'),
    json: () => import('highlight.js/lib/languages/json'),
    markdown: () => import('highlight.js/lib/languages/markdown'),
    python: () => import('highlight.js/lib/languages/python'),
    rust: () => import('highlight.js/lib/languages/rust'),
    sql: () => import('highlight.js/lib/languages/sql'),
    typescript: () => import('highlight.js/lib/languages/typescript'),
    xml: () => import('highlight.js/lib/languages/xml'),
    yaml: () => import('highlight.js/lib/languages/yaml'),
};

/** Loads the rules of a language. */
export async function load(name: Language): Promise<LanguageFn> {
    return (await LOADS[name]()).default;
}
