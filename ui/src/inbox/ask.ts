import { visible } from '../lib/visible';

/** What an agent asks, for people: which tool, and the one thing that matters most about it. */
export interface Told {
    tool: string | undefined;
    what: string | undefined;
}

/** Where the thing that matters stands, in the words of the harnesses. */
const TELLING = ['command', 'cmd', 'file_path', 'notebook_path', 'path', 'url', 'query', 'pattern'];

/** Reads what is asked. A question is only text, and has neither. */
export function told(text: string): Told {
    const none = { tool: undefined, what: undefined };
    let asked: unknown;
    try {
        asked = JSON.parse(text);
    } catch {
        return none;
    }
    if (!isObject(asked) || typeof asked['tool'] !== 'string') return none;
    const input = isObject(asked['input']) ? asked['input'] : {};
    const values = TELLING.map((key) => words(input[key]));
    return { tool: visible(asked['tool']), what: values.find((value) => value) };
}

function words(value: unknown): string | undefined {
    if (typeof value === 'string') return visible(value);
    if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
        return visible(value.join(' '));
    return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
