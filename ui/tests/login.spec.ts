import { expect, test } from './app';
import { Daemon } from './daemon';

test('a link logs in once and leaves no trace', async ({ page, daemon, complaints, context }) => {
    complaints.allow(/401 \(Unauthorized\)/);
    const link = await daemon.link();
    await page.goto(link);
    await expect(page).toHaveURL(/\/app$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe('{}');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const cookies = await context.cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
        { httpOnly: true, sameSite: 'Strict' },
    ]);

    // Who is in already needs no link.
    await page.goto(link);
    await expect(page).toHaveURL(/\/app$/);

    await context.clearCookies();
    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible();
    await expect(page.getByText('paseo open')).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
});

test('a stranger is told how to log in', async ({ page, daemon, complaints }) => {
    complaints.allow(/401 \(Unauthorized\)|404 \(Not Found\)/);
    const { origin } = new URL(await daemon.link());
    for (const path of ['/login', '/app', '/app/agents/0a0b']) {
        await page.goto(origin + path);
        await expect(page.getByRole('heading', { name: 'not logged in' })).toBeVisible();
        await expect(page.getByText('paseo open')).toBeVisible();
        await expect(page).toHaveURL(/\/login$/);
    }
    await page.goto(await daemon.link());
    await expect(page).toHaveURL(/\/app\/agents\/0a0b$/);
});

test('a browser that is logged in comes in by any link', async ({ app, page, daemon, complaints }) => {
    const { origin } = new URL(page.url());
    await daemon.agent('linked', '<<say here I am>>');
    await app.open('linked');
    const wanted = page.url();

    await page.goto(`${origin}/login`);
    await expect(page).toHaveURL(/\/app$/);

    // From another site the browser comes without its cookie.
    await page.route('http://elsewhere.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: `<a href="${wanted}">there</a>` }),
    );
    complaints.allow(/elsewhere\.example/);
    await page.goto('http://elsewhere.example/');
    await page.getByRole('link', { name: 'there' }).click();
    await expect(page).toHaveURL(wanted);
    await expect(app.items('answer')).toHaveText(['here I am']);

    for (const elsewhere of ['//elsewhere.example', 'http://elsewhere.example/app', '/app/../api/whoami']) {
        await page.goto(`${origin}/login#to=${elsewhere}`);
        await expect(page).toHaveURL(`${origin}/app`);
    }
});

test('who is logged out meanwhile goes on where they were', async ({ app, page, daemon, complaints }) => {
    complaints.allow(/401 \(Unauthorized\)/);
    await daemon.agent('left', '<<say before>>');
    await app.open('left');
    const wanted = page.url();
    await daemon.paseo('devices', 'revoke', await daemon.paseo('devices', 'ls', '-q'));
    await expect(page.getByRole('heading', { name: 'not logged in' })).toBeVisible();
    await page.goto(await daemon.link());
    await expect(page).toHaveURL(wanted);
});

test('after many wrong links a right one works at once', async ({ page, daemon, complaints }) => {
    complaints.allow(/401 \(Unauthorized\)|429 \(Too Many/);
    const link = await daemon.link();
    await page.goto(new URL('/login', link).href);
    await page.evaluate(async () => {
        const init = {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: '{"code":"wrong"}',
        };
        for (let at = 0; at < 30; at++) await fetch('/api/login', init);
    });
    await page.goto(new URL('/login#code=wrong', link).href);
    await expect(page.getByRole('heading', { name: 'Too many wrong links' })).toBeVisible();
    await expect(page.getByText('run this for a new link')).toBeVisible();
    await page.goto(link);
    await expect(page).toHaveURL(/\/app$/);
});

test('daemons of one host keep their browsers apart', async ({ app, page, daemon }) => {
    const first = page.url();
    const other = await Daemon.start();
    try {
        await page.goto(await other.link());
        await expect(page).toHaveURL(/\/app$/);
        await page.goto(first);
        await daemon.agent('still here', '<<say hi>>');
        await expect(app.row('still here')).toBeVisible();
    } finally {
        await other.stop();
    }
});
