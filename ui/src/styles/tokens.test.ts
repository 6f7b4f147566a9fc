import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HUES } from '../agents/identity';

const css = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');

/** Returns the colours of the block that a selector begins. */
function palette(selector: string): Map<string, string> {
    const start = css.indexOf(`${selector} {`);
    const block = css.slice(start, css.indexOf('}', start));
    return new Map(
        [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name!, value!]),
    );
}

function luminance(hex: string): number {
    const [r, g, b] = [1, 3, 5].map((at) => {
        const part = parseInt(hex.slice(at, at + 2), 16) / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light! + 0.05) / (dark! + 0.05);
}

const light = palette(':root');
const dark = palette(":root[data-theme='dark']");
const GROUNDS = ['paper', 'rail', 'surface'];
const PAIRS = [
    ...GROUNDS.flatMap((ground) =>
        ['ink', 'ink-soft', 'ink-faint', 'accent', 'ask', 'bad', 'good'].map((ink) => [ink, ground] as const),
    ),
    ...['keyword', 'string', 'number', 'name', 'type'].map((kind) => [`code-${kind}`, 'surface'] as const),
    ['on-accent', 'accent'],
    ['ink', 'accent-soft'],
    ['ink-soft', 'accent-soft'],
    ['accent', 'accent-soft'],
    ['ask', 'ask-soft'],
    ['ink', 'ask-soft'],
    ['bad', 'bad-soft'],
    ['good', 'good-soft'],
    ...HUES.map((hue) => [`hue-${hue}`, `hue-${hue}-soft`] as const),
] as const;

describe.each([
    ['light', light],
    ['dark', dark],
])('%s colours', (_, colours) => {
    it.each(PAIRS)('%s on %s can be read', (ink, ground) => {
        expect(contrast(colours.get(ink)!, colours.get(ground)!)).toBeGreaterThanOrEqual(4.5);
    });

    it.each(GROUNDS)('the edge of a control on %s can be seen', (ground) => {
        expect(contrast(colours.get('line-strong')!, colours.get(ground)!)).toBeGreaterThanOrEqual(3);
    });
});

it('the system and the chosen dark are the same', () => {
    expect(palette(":root:not([data-theme='light'])")).toEqual(dark);
});
