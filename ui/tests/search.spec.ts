import { count, expect, test } from './app';
import { post } from './asked';

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('words are found, and lead to where they were said', async ({ app, daemon }) => {
            const handle = await daemon.agent(
                'long',
                `${count(1, 150, 0)}<<say the quetzal sings>>${count(151, 400, 0)}`,
            );
            await daemon.paseo('wait', handle);
            await expect.poll(() => daemon.paseo('search', 'quetzal')).toContain('quetzal');
            const { page } = app;
            if (what === 'phone') await page.getByRole('button', { name: 'More' }).click();
            await page.getByRole('link', { name: 'Search' }).click();
            await expect(page.getByRole('searchbox')).toBeFocused();
            await page.keyboard.type('sings');
            const hits = page.getByRole('list', { name: 'Results' }).getByRole('article');
            await expect(hits.filter({ hasText: 'answer' })).toHaveCount(1);
            await expect(hits.filter({ hasText: 'answer' }).locator('mark')).toHaveText('sings');
            await hits.filter({ hasText: 'answer' }).getByRole('link', { name: 'long' }).click();
            await expect(page).toHaveURL(/\?item=\d+$/);
            const item = app.items('answer').filter({ hasText: 'the quetzal sings' });
            await expect(item).toBeInViewport();
            await expect(item).toHaveClass(/found/);
            // It was read from there: neither the first nor the last is on the page.
            await expect(app.items('answer').filter({ hasText: /^line 400$/ })).toHaveCount(0);

            // From there one reads on, up and down, without a gap; and back leads to what was found.
            await page.getByRole('button', { name: 'Latest' }).click();
            await expect(app.items('answer').last()).toHaveText('line 400');
            await expect(app.items('answer').last()).toBeInViewport();
            await page.goBack();
            await expect(page.getByRole('searchbox')).toHaveValue('sings');
            await expect(hits.filter({ hasText: 'answer' })).toHaveCount(1);
        });
    });

test('a hit in a thread leads to its message', async ({ app, daemon }) => {
    const { page } = app;
    await daemon.paseo('thread', 'new', 'planning');
    await daemon.paseo('thread', 'post', 'planning', 'the quetzal sings');
    for (let at = 1; at <= 40; at++) await post(daemon, 'planning', `line ${at}`);
    await expect.poll(() => daemon.paseo('search', 'quetzal')).toContain('quetzal');
    await page.goto(new URL('/app/search?q=quetzal', page.url()).href);
    const hit = page.getByRole('list', { name: 'Results' }).getByRole('article');
    await expect(hit).toHaveCount(1);
    await hit.getByRole('link', { name: 'planning' }).click();
    await expect(page).toHaveURL(/\/app\/threads\/[0-9a-f-]+\?message=[^&]+$/);
    const found = page.locator('li.found');
    await expect(found).toContainText('the quetzal sings');
    await expect(found).toBeInViewport();
    await page.goBack();
    await expect(page.getByRole('searchbox')).toHaveValue('quetzal');
});

test('a search is narrowed to any project and any agent', async ({ app, daemon }) => {
    const { page } = app;
    // Neither is in the list of the web app.
    const background = await daemon.create({ name: 'background', prompt: '<<say a quetzal here>>' });
    const closed = await daemon.create({ name: 'closed', prompt: '<<say a quetzal there>>' });
    await daemon.paseo('wait', background);
    await daemon.paseo('wait', closed);
    await daemon.paseo('close', closed);
    await expect.poll(() => daemon.paseo('search', 'quetzal')).toContain('there');
    await page.goto(new URL('/app/search?q=quetzal', page.url()).href);
    const answers = page.getByRole('article').filter({ hasText: 'answer' });
    await expect(answers).toHaveCount(2);
    await page.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'background · work' });
    await expect(answers).toHaveCount(1);
    await expect(answers).toContainText('here');
    await page.getByRole('combobox', { name: 'Who' }).selectOption({ label: 'closed · work (closed)' });
    await expect(answers).toContainText('there');
    await page.getByRole('combobox', { name: 'Who' }).selectOption('');
    await page.getByRole('combobox', { name: 'Project' }).selectOption({ label: 'work' });
    await expect(page).toHaveURL(/project=/);
    await expect(answers).toHaveCount(2);
});

test('an address of an item leads there, and one of none to the end', async ({ app, daemon }) => {
    const handle = await daemon.agent('long', count(1, 400, 0));
    await daemon.paseo('wait', handle);
    await app.open('long');
    const address = app.page.url();
    for (const item of [200, 3, 390]) {
        await app.page.goto(`${address}?item=${item}`);
        const found = app.page.locator('li.found');
        await expect(found).toBeInViewport();
        // The first item is the message.
        await expect(found).toHaveText(`line ${item - 1}`);
    }
    for (const item of ['9999', 'x', '-1']) {
        await app.page.goto(`${address}?item=${item}`);
        await expect(app.items('answer').last()).toHaveText('line 400');
        await expect(app.items('answer').last()).toBeInViewport();
        await expect(app.page.locator('li.found')).toHaveCount(0);
    }
});
