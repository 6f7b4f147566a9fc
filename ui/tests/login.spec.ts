import { expect, test } from './app';

test('a link logs in once and leaves no trace', async ({ page, daemon, complaints, context }) => {
    complaints.allow(/401 \(Unauthorized\)/);
    const link = await daemon.link();
    await page.goto(link);
    await expect(page).toHaveURL(/\/app$/);
    await expect(page.getByText('paseo run --ui')).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe('{}');
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const cookies = await context.cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
        { httpOnly: true, sameSite: 'Strict' },
    ]);

    await context.clearCookies();
    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'does not work any more' })).toBeVisible();
    await expect(page.getByText('paseo open')).toBeVisible();
    await expect(page).toHaveURL(/\/login$/);
});

test('a stranger is told how to log in', async ({ page, daemon, complaints }) => {
    complaints.allow(/401 \(Unauthorized\)/);
    const { origin } = new URL(await daemon.link());
    for (const path of ['/login', '/app', '/app/agents/0a0b']) {
        await page.goto(origin + path);
        await expect(page.getByRole('heading', { name: 'not logged in' })).toBeVisible();
        await expect(page.getByText('paseo open')).toBeVisible();
        await expect(page).toHaveURL(/\/login$/);
    }
});
