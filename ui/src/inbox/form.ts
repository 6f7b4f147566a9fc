import type { FormField } from '../lib/wire';

/** What a person has written, switched or chosen in a field. `undefined` for a switch that was not touched. */
export type Draft = string | boolean | readonly string[] | undefined;

/** The values of a form, by the names of its fields. */
export type Values = Record<string, unknown>;

/** Returns what a field starts with: the default of the server, or nothing. */
export function start(field: FormField): Draft {
    const { kind, default: value } = field;
    if (kind === 'boolean') return typeof value === 'boolean' ? value : field.required ? false : undefined;
    if (kind === 'choices') return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    return value === null || value === undefined ? '' : String(value);
}

/** Presses an option of a field. One that takes a single option keeps no other. */
export function press(field: FormField, draft: Draft, value: string): Draft {
    if (field.kind !== 'choices') return draft === value ? '' : value;
    const chosen = Array.isArray(draft) ? draft : [];
    // In the order of the options, whatever is chosen first.
    const all = field.options.map((option) => option.value);
    return all.filter((one) => (one === value) !== chosen.includes(one));
}

/** Says whether an option of a field is chosen. */
export function isChosen(draft: Draft, value: string): boolean {
    return Array.isArray(draft) ? draft.includes(value) : draft === value;
}

/** Returns the values of a form. `undefined` while something is missing; what does not fit, the daemon refuses. */
export function valuesOf(fields: readonly FormField[], drafts: readonly Draft[]): Values | undefined {
    const values: Values = {};
    for (const [at, field] of fields.entries()) {
        const value = valueOf(field, drafts[at]);
        if (value !== undefined) values[field.name] = value;
        else if (field.required) return undefined;
    }
    return values;
}

function valueOf({ kind }: FormField, draft: Draft): unknown {
    if (draft === undefined || typeof draft === 'boolean') return draft;
    if (typeof draft !== 'string') return draft.length > 0 ? [...draft] : undefined;
    const text = kind === 'secret' ? draft : draft.trim();
    if (text === '') return undefined;
    if (kind !== 'number' && kind !== 'integer') return text;
    // What is no number goes as it is: the daemon says what is expected.
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
}

/** Says what a field takes, beyond what it shows. */
export function limits(field: FormField): string {
    const { kind, format, minimum, maximum, pattern } = field;
    const words: string[] = [];
    if (format === 'date-time') words.push('A date and time, for example 2026-02-28T09:30:00Z.');
    const unit = { text: ' characters', secret: ' characters', choices: ' options' }[kind as string] ?? '';
    const [least, most] = [minimum ?? undefined, maximum ?? undefined];
    if (least !== undefined && most !== undefined) words.push(`From ${least} to ${most}${unit}.`);
    else if (least !== undefined) words.push(`At least ${least}${unit}.`);
    else if (most !== undefined) words.push(`At most ${most}${unit}.`);
    if (pattern) words.push(`Has to match ${pattern}`);
    if (kind === 'secret') words.push('The agent gets it. Paseo does not store or show it.');
    return words.join(' ');
}
