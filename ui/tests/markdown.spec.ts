import type { Page } from '@playwright/test';
import { App, expect, test } from './app';

/** As long as an answer can be that comes as a whole. */
const LONGEST = 30_000;

/** Returns a script that says a text. */
function say(text: string): string {
    return `<<say ${text.replaceAll('>', '\\>')}>>`;
}

function filled(piece: string): string {
    return piece.repeat(Math.floor((LONGEST - 10) / piece.length));
}

/** Lets time stand still in the page, so that only the limits count, and not how busy this machine is. */
async function stopClock({ page }: App): Promise<void> {
    await page.addInitScript(() => (performance.now = () => 0));
    await page.reload();
}

test('a hostile answer is shown as it is, and the page goes on', async ({ app, daemon }) => {
    const hostile = [
        filled('# a\n'),
        '- '.repeat(2000) + 'deep',
        filled('> ').trim() + ' deep',
        '|a'.repeat(5_000) + '|\n' + '|-'.repeat(5_000) + '|\n' + '|\n'.repeat(4_000),
        filled('[a](b'),
        filled('*a _b '),
        filled('```\n'),
    ];
    const handle = await daemon.agent('hostile', '<<say hi>>');
    for (const text of hostile) await daemon.paseo('send', '--wait', handle, say(text));
    await daemon.paseo('send', '--wait', handle, say('**the end**'));
    await stopClock(app);
    await app.row('hostile').click();
    const answers = app.items('answer');
    await expect(answers.last().locator('strong')).toHaveText('the end');
    await expect(answers).toHaveCount(hostile.length + 2);
    // Too many headings, too deep, too many cells: text, with its lines.
    for (const at of [1, 2, 3, 4]) await expect(answers.nth(at).locator('p.plain')).toBeAttached();
    await expect(answers.nth(2)).toContainText('- - - - deep');
    // A paragraph with too many marks is a paragraph.
    await expect(answers.nth(5).locator('p:not(.plain)')).toContainText('[a](b[a](b');
    await app.send('<<say still *here*>>');
    await expect(answers.last().locator('em')).toHaveText('here');
});

test('a long answer is drawn to its end', async ({ app, daemon }) => {
    const row = (at: number) => `| ${at} | **b** | \`c\` | d |\n`;
    const rows = Array.from({ length: 600 }, (_, at) => row(at)).join('');
    const entries = Array.from({ length: 1500 }, (_, at) => `- entry ${at}\n`).join('');
    await daemon.agent(
        'long',
        say(`| n | x | y | z |\n|---|---|---|---|\n${rows}`) + say(`${entries}\nlast`),
    );
    await stopClock(app);
    await app.row('long').click();
    const answers = app.items('answer');
    await expect(answers.first().locator('tbody tr')).toHaveCount(600);
    await expect(answers.first().locator('tbody tr').last()).toContainText('599');
    await expect(answers.nth(1).locator('li')).toHaveCount(1500);
    await expect(answers.nth(1).locator('p').last()).toHaveText('last');
});

/** Attacks on whoever reads Markdown, with words that must be there in the end, drawn or as they are. */
const ATTACKS: readonly (readonly [string, string])[] = [
    [filled('# a\n'), '# a'],
    [filled('a\n===\n'), 'a'],
    [filled('```\n'), ''],
    [filled('|-|\n'), '-'],
    [filled('a\n'), 'a'],
    [`\`\`\`\n${filled('\n')}`.slice(0, LONGEST - 10), ''],
    ['|a'.repeat(5_000) + '|\n' + '|-'.repeat(5_000) + '|\n' + '|\n'.repeat(4_000), '|a|a'],
    [filled('> ').trim() + ' deep', 'deep'],
    ['- '.repeat(2_000) + 'deep', '- - deep'],
    [filled('*a _b '), '*a _b'],
    ['*_'.repeat(5_000) + 'a' + '_*'.repeat(5_000), 'a'],
    [filled('[a](b'), '[a](b[a](b'],
    [`${'[a](b'.repeat(150)}\n\n`.repeat(38), '[a](b[a](b'],
];

/** How a page does: the longest time for which it did nothing else, and the most elements drawn at once. */
interface Pulse {
    longest: number;
    most: number;
}

/** Feels the pulse of a page from its beginning. The clocks are real. */
async function feelPulse(page: Page): Promise<void> {
    await page.addInitScript(() => {
        const pulse: Pulse = { longest: 0, most: 0 };
        Object.assign(window, { pulse });
        let last = performance.now();
        const beat = () => {
            const now = performance.now();
            pulse.longest = Math.max(pulse.longest, now - last);
            last = now;
            setTimeout(beat);
        };
        beat();
        const size = (node: Node) => {
            if (!(node instanceof Element)) return 0;
            const within = node.closest('.markdown') ? '*' : '.markdown *';
            return node.querySelectorAll(within).length + 1;
        };
        new MutationObserver((records) => {
            const drawn = records.flatMap((record) => [...record.addedNodes]).map(size);
            pulse.most = Math.max(
                pulse.most,
                drawn.reduce((sum, count) => sum + count, 0),
            );
        }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
}

/** Returns how a page did since one last asked. */
function pulseOf(page: Page): Promise<Pulse> {
    return page.evaluate(() => {
        const { pulse } = window as unknown as { pulse: Pulse };
        const found = { ...pulse };
        Object.assign(pulse, { longest: 0, most: 0 });
        return found;
    });
}

/** Most elements of an answer that are drawn at once: a few pieces, which one task draws. */
const AT_ONCE = 2_000;

test('no answer keeps the page from anything else for long', async ({ app, daemon }) => {
    const prose = filled('some words ');
    const calm = await daemon.agent('calm', '<<say hi>>');
    const hostile = await daemon.agent('hostile', '<<say hi>>');
    for (const [text] of ATTACKS) {
        await daemon.paseo('send', '--wait', calm, say(prose));
        await daemon.paseo('send', '--wait', hostile, say(text));
    }
    for (const handle of [calm, hostile]) await daemon.paseo('send', '--wait', handle, say('**the end**'));
    await feelPulse(app.page);
    const answers = app.items('answer');
    const read = async (name: string) => {
        await app.row(name).click();
        await expect(app.page.getByRole('heading', { level: 1, name })).toBeVisible();
        await expect(answers.last().locator('strong')).toHaveText('the end');
        await expect(answers).toHaveCount(ATTACKS.length + 2);
    };
    // As much of harmless text, on the same machine: whatever else it has to do, it has to do here, too.
    await read('calm');
    const before = await pulseOf(app.page);
    await read('hostile');
    for (const [at, [, words]] of ATTACKS.entries()) await expect(answers.nth(at + 1)).toContainText(words);
    // Too many headings, too many cells, too deep: text, whole.
    for (const at of [0, 3, 4, 6, 7, 8]) {
        const text = await answers
            .nth(at + 1)
            .locator('p.plain')
            .textContent();
        expect(text?.trim()).toBe(ATTACKS[at]?.[0].trim());
    }
    await app.send('<<say still *here*>>');
    await expect(answers.last().locator('em')).toHaveText('here');
    const { longest, most } = await pulseOf(app.page);
    expect(most).toBeLessThan(AT_ONCE);
    expect(longest).toBeLessThan(1_000 + 10 * before.longest);
});

test('a long answer is drawn in pieces', async ({ app, daemon }) => {
    await daemon.agent(
        'long',
        say(`${Array.from({ length: 3_000 }, (_, at) => `- ${at}\n`).join('')}\nlast`),
    );
    await feelPulse(app.page);
    // However slow this machine is: the text is drawn.
    await stopClock(app);
    await app.row('long').click();
    await expect(app.items('answer').first().locator('li')).toHaveCount(3_000);
    expect((await pulseOf(app.page)).most).toBeLessThan(AT_ONCE);
});

test('of a text with thousands of lines, those to be seen are laid out', async ({ app, daemon }) => {
    const lines = Array.from({ length: 7_000 }, (_, at) => `${at}\n`)
        .join('')
        .slice(0, LONGEST - 50);
    const handle = await daemon.agent('lines', say(lines) + say('as it is'));
    await daemon.paseo('send', '--wait', handle, say(`\`\`\`\n${lines}`) + say('**the end**'));
    // However slow this machine is: the text is drawn.
    await stopClock(app);
    await app.row('lines').click();
    const answers = app.items('answer');
    await expect(answers.last().locator('strong')).toHaveText('the end');
    for (const [turn, element] of ['p.plain', 'pre code'].entries()) {
        const text = answers.nth(2 * turn).locator(element);
        expect((await text.textContent())?.trim()).toBe(lines.trim());
        const pieces = await text.evaluate((whole) =>
            [...whole.children].map((piece) => ({
                lines: piece.textContent.trim().split('\n').length,
                apart: getComputedStyle(piece).contentVisibility === 'auto',
            })),
        );
        expect(pieces.length).toBeGreaterThan(100);
        expect(pieces.every(({ lines, apart }) => lines <= 50 && apart)).toBe(true);
        // The text of an element as it is to be seen leaves out what is not laid out.
        expect((await text.innerText()).length).toBeLessThan(lines.length / 4);
    }
    // What was asked for has as many lines, and shows its first.
    const asked = app.items('message').first();
    expect((await asked.textContent())?.length).toBeLessThan(6_000);
    await asked.getByRole('button', { name: 'Show all' }).click();
    await expect(asked).toContainText('as it is');
});
