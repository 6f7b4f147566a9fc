import { DEFINITION_PATHS } from '../ui/definitionIcons';
import { definitionOf, type Agent } from '../lib/wire';
import { extrasOf } from './extras';

/** The colours that a definition can have. Each is a pair of design tokens. */
export const HUES = ['gray', 'red', 'orange', 'yellow', 'green', 'cyan', 'blue', 'purple', 'pink'] as const;
export type Hue = (typeof HUES)[number];

/** The icons that a definition can name. */
export type DefinitionIcon = keyof typeof DEFINITION_PATHS;

/** How the definition of an agent looks: a picture or a letter, in a colour. */
export interface Identity {
    readonly icon?: DefinitionIcon | 'spark';
    /** One or two characters. */
    readonly text?: string;
    /** Without one, it is an agent like any other. */
    readonly hue?: Hue;
}

/** Returns how the definition of an agent looks: as it says, else always the same for the same slug. */
export function identityOf(agent: Pick<Agent, 'agent'>): Identity {
    const { icon, color } = extrasOf(agent);
    const slug = definitionOf(agent);
    const hue = HUES.find((name) => name === color) ?? (slug === undefined ? undefined : hueOf(slug));
    if (isNamed(icon)) return { icon, ...(hue && { hue }) };
    const text = icon === undefined ? undefined : characters(icon);
    if (text) return { text, ...(hue && { hue }) };
    if (slug === undefined) return { icon: 'spark', ...(hue && { hue }) };
    return { text: characters(slug, 1)?.toUpperCase() ?? '?', ...(hue && { hue }) };
}

/** Returns the colour that a slug always has. Gray is only for those that ask for it. */
export function hueOf(slug: string): Hue {
    let sum = 2166136261;
    for (const unit of slug) sum = Math.imul(sum ^ (unit.codePointAt(0) ?? 0), 16777619);
    const colourful = HUES.filter((hue) => hue !== 'gray');
    return colourful[(sum >>> 0) % colourful.length] ?? 'blue';
}

function isNamed(icon: string | undefined): icon is DefinitionIcon {
    return icon !== undefined && Object.hasOwn(DEFINITION_PATHS, icon);
}

/** Returns a text of so few characters that a tile has room for it. */
function characters(text: string, most = Infinity): string | undefined {
    const parts = [...new Intl.Segmenter().segment(text.trim())].map(({ segment }) => segment);
    if (parts.length === 0 || (most === Infinity && parts.length > 2)) return undefined;
    return parts.slice(0, most).join('');
}
