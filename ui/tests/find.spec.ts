import { count, expect, expectAccessible, test, type App } from './app';

const find = (app: App) => app.page.getByRole('textbox', { name: 'Find in this conversation' });

for (const [where, viewport] of [
    ['on a desktop', { width: 1280, height: 800 }],
    ['on a phone', { width: 390, height: 844 }],
] as const)
    test.describe(where, () => {
        test.use({ viewport });

        test('words are found far above what is loaded, and shown at once', async ({ app, daemon }) => {
            // Found by the daemon, whole words; and on the page, also a part of one.
            const handle = await daemon.agent(
                'long',
                `<<say the needle <b\\>here</b\\>>>${count(1, 900, 0)}`,
            );
            await daemon.paseo('wait', handle);
            await daemon.paseo(
                'send',
                handle,
                '--wait',
                '<<sh echo other>><<sh echo needles>><<say the end>>',
            );
            await app.row('long').click();
            await expect(app.items('answer').last()).toHaveText('the end');
            await app.inHeader('Find in this conversation');
            await expect(find(app)).toBeFocused();
            await find(app).fill('needle');
            const status = app.page.locator('#panel-main').getByRole('search').getByRole('status');
            await expect(status).toHaveText('4');
            await expectAccessible(app.page);
            // The newest first: a call in a run, which opens.
            await find(app).press('Enter');
            await expect(status).toHaveText('4 of 4');
            await expect(app.items('tool').filter({ hasText: 'echo needles' })).toBeInViewport();
            await find(app).press('Enter');
            await expect(status).toHaveText('3 of 4');
            // One page around it, however far it is.
            const pages: string[] = [];
            app.page.on('request', (request) => {
                if (request.url().includes('/items?')) pages.push(new URL(request.url()).search);
            });
            await find(app).press('Enter');
            const hit = app.items('answer').filter({ hasText: 'the needle' });
            await expect(hit).toBeInViewport();
            expect(pages[0]).toBe('?limit=100&after=0');
            await expect(hit).toContainText('<b>here</b>');
            expect(await app.items().count()).toBeLessThanOrEqual(600);
            // From there it is read on without a hole.
            await expect(app.items('answer').nth(1)).toHaveText('line 1');
            await find(app).fill('zebra');
            await expect(status).toHaveText('No match');
            await find(app).fill('line 45');
            await expect(status).toHaveText('12');
            await app.page.getByRole('button', { name: 'Close find' }).click();
            await expect(find(app)).toHaveCount(0);
            await app.page.getByRole('button', { name: 'Latest' }).click();
            await expect(app.items('answer').last()).toHaveText('the end');
            await expect(app.items('answer').last()).toBeInViewport();
        });

        test('the outline goes to any turn', async ({ app, daemon }) => {
            const handle = await daemon.agent('talker', `the first <i> turn\n${count(1, 700, 0)}`);
            await daemon.paseo('wait', handle);
            await daemon.paseo('send', handle, '--wait', 'second <<fail no luck>>').catch(() => {});
            await daemon.paseo('send', handle, '--wait', 'third <<say done>>');
            await app.row('talker').click();
            await expect(app.items('answer').last()).toHaveText('done');
            // Two turns to a page, so that there are pages.
            await app.page.route(/\/turns\?/, (route) =>
                route.continue({ url: route.request().url().replace('limit=100', 'limit=2') }),
            );
            const open = () => app.inHeader('Turns');
            await open();
            const panel = app.page.getByRole('dialog', { name: 'Turns' });
            const turns = panel.locator('[data-turn]');
            await expect(turns).toHaveText([/second.*failed/s, /third/]);
            await expect(panel.locator('time').first()).toHaveText(/\d\d:\d\d/);
            const first = app.items('message').filter({ hasText: 'the first <i> turn' });
            await panel.getByRole('button', { name: 'First turns' }).click();
            await expect(turns).toHaveText([/the first <i> turn/, /second/]);
            await panel.getByRole('button', { name: 'Later turns' }).click();
            await expect(turns).toHaveCount(3);
            await expect(panel.getByRole('button', { name: 'Newest turns' })).toHaveCount(0);
            // What is typed lists the turns up to there.
            await panel.getByRole('spinbutton', { name: 'Go to item' }).fill('351');
            await expect(turns).toHaveText([/the first <i> turn/]);
            await turns.first().click();
            await expect(panel).toHaveCount(0);
            await expect(first).toBeInViewport();
            await open();
            await panel.getByRole('spinbutton', { name: 'Go to item' }).fill('351');
            await app.page.keyboard.press('Enter');
            await expect(panel).toHaveCount(0);
            await expect(app.page.getByText('line 350', { exact: true })).toBeInViewport();
            await open();
            await panel.getByRole('button', { name: 'Earlier turns' }).click();
            await expect(turns).toHaveCount(3);
            await expect(panel.getByRole('button', { name: 'First turns' })).toHaveCount(0);
            await expectAccessible(app.page);
            await panel.getByRole('button', { name: 'the first <i> turn' }).click();
            await expect(panel).toHaveCount(0);
            await expect(app.items('message').filter({ hasText: 'the first <i> turn' })).toBeInViewport();
            await open();
            await app.page.keyboard.press('Escape');
            await expect(panel).toHaveCount(0);
        });
    });

test('Ctrl-F in the transcript finds in all of it', async ({ app, daemon }) => {
    await daemon.agent('short', '<<say hello>>');
    await app.open('short');
    await app.composer.focus();
    await app.page.keyboard.press('Control+f');
    await expect(find(app)).toHaveCount(0);
    await app.page.getByRole('region', { name: 'Transcript' }).focus();
    await app.page.keyboard.press('Control+f');
    await expect(find(app)).toBeFocused();
    await app.page.keyboard.press('Escape');
    await expect(find(app)).toHaveCount(0);
    await expect(app.page.getByRole('heading', { level: 1, name: 'short' })).toBeVisible();
});
