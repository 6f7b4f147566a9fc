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
