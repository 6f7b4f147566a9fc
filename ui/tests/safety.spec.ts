import { expect, test } from './app';

const EVIL = '<img src=x onerror=alert(1)><script>alert(2)</script>';

test('text from agents is only ever text', async ({ app, daemon }) => {
    const shell = `printf '%s' '${EVIL.replaceAll('>', '\\>')}'; exit 1`;
    const say = [
        EVIL,
        '[click](javascript:alert(3))',
        '[ok](https://example.org/)',
        '![remote](https://example.org/x.png)',
        '`<b>` <a href="javascript:alert(4)">x</a>',
        '<style>body{display:none}</style>',
    ].join('\n\n');
    await daemon.agent(
        EVIL,
        `<<say ${say.replaceAll('>', '\\>')}>><<sh ${shell}>><<ask ${EVIL.replaceAll('>', '\\>')}>>`,
    );
    await expect(app.rows.first()).toContainText('<img src=x');
    await app.rows.first().click();
    await expect(app.items('ask').locator('pre')).toHaveText(EVIL);
    await expect(app.items('tool').locator('pre')).toHaveText(EVIL);
    await expect(app.items('answer')).toContainText('<script>alert(2)</script>');
    await expect(app.items('message')).toContainText('<script\\>');

    const main = app.page.getByRole('main');
    // Until its Markdown is read, an answer is shown as it is.
    await expect(main.getByRole('link', { name: 'ok', exact: true })).toBeVisible();
    await expect(main.locator('img, script, style, iframe, b')).toHaveCount(0);
    const links = await main
        .locator('a:not([aria-label="What this message led to"])')
        .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('rel')]));
    expect(links).toEqual([
        ['https://example.org/', 'noopener noreferrer nofollow'],
        ['https://example.org/x.png', 'noopener noreferrer nofollow'],
    ]);
});
