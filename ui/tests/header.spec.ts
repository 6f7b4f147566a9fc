import { expect, expectAccessible, gate, test, type App } from './app';

const HOSTILE = '<img src=x onerror=alert(1)>\u202e"&amp; {title}';
/** As the page shows it: nothing turns the text around. */
const SHOWN = HOSTILE.replace('\u202e', '\\u{202e}');

function heading(app: App, name: string | RegExp) {
    return app.page.getByRole('heading', { level: 1, name });
}

for (const [what, viewport] of [
    ['desktop', { width: 1280, height: 800 }],
    ['phone', { width: 390, height: 844 }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use({ viewport });

        test('an agent is renamed in its header', async ({ app, daemon }) => {
            const handle = await daemon.agent('worker', '<<say hi>>');
            await app.open('worker');
            const { page } = app;
            await page.getByRole('button', { name: 'Rename' }).click();
            const field = page.getByRole('textbox', { name: 'Name of the agent' });
            await expect(field).toBeFocused();
            await expect(field).toHaveValue('worker');
            await expectAccessible(page);
            // Escape leaves the field, and not the agent.
            await field.fill('never');
            await field.press('Escape');
            await expect(heading(app, 'worker')).toBeVisible();
            await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);

            await page.getByRole('button', { name: 'Rename' }).click();
            await field.fill(HOSTILE);
            await field.press('Enter');
            await expect(heading(app, SHOWN)).toBeVisible();
            await expect(page.getByRole('button', { name: 'Rename' })).toBeFocused();
            expect((await daemon.paseo('inspect', '--json', handle)).includes('onerror')).toBe(true);
            await page.reload();
            await expect(heading(app, SHOWN)).toBeVisible();
        });

        test('the header says why an agent waits, and where to answer', async ({ app, daemon }) => {
            await daemon.agent('asker', '<<ask Bash rm -rf build>>', '--permissions', 'ask');
            await expect(app.row('asker')).toContainText('asks you');
            await app.row('asker').click();
            const { page } = app;
            await expect(app.status()).toHaveText('asks you');
            await app.status().click();
            const why = page.getByRole('dialog', { name: /^Why/ });
            await expect(why).toContainText('A permission request waits for you.');
            // A card takes answers after half a second, and changes its colors then.
            await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeEnabled();
            await expectAccessible(page);
            await page.keyboard.press('Escape');
            await expect(why).toBeHidden();
            // The Escape closed the popover, and nothing else.
            await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
            await app.status().click();
            await why.getByRole('link', { name: 'Open the inbox' }).click();
            await expect(heading(app, 'Inbox')).toBeVisible();
            await page.goBack();
            await expect(heading(app, 'asker')).toBeVisible();
        });
    });

test('the header shows handle, provider, permissions and tokens', async ({ app, daemon }) => {
    const handle = await daemon.agent('worker', '<<say hi>>', '--permissions', 'ask');
    await app.open('worker');
    const header = app.page.getByRole('main').locator('header');
    await expect(header).toContainText(handle);
    await expect(header).toContainText('scripted');
    await expect(header).toContainText('asks first');
    await expect(header.getByRole('button', { name: 'Switch agent, current: Default' })).toBeVisible();
});

test('a stopped agent and one that waits for another say so', async ({ app, daemon }) => {
    await daemon.agent('worker', `${gate('go')}<<say done>>`);
    await app.row('worker').click();
    await expect(app.status()).toHaveText('running');
    await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(app.status()).toHaveText('stopped');
    await app.status().click();
    await expect(app.page.getByRole('dialog', { name: /^Why/ })).toContainText('A person stopped it.');
});

test('a name that cannot be saved stays in the field, with the reason', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/400|Failed to load/);
    await daemon.agent('worker', '<<say hi>>');
    await app.open('worker');
    const { page } = app;
    await page.getByRole('button', { name: 'Rename' }).click();
    const field = page.getByRole('textbox', { name: 'Name of the agent' });
    await page.route('**/api/sessions/*', (route) =>
        route.request().method() === 'PATCH'
            ? route.fulfill({
                  status: 400,
                  json: { code: 'invalid_request', message: 'too odd', hint: null },
              })
            : route.fallback(),
    );
    await field.fill('odd');
    await field.press('Enter');
    await expect(page.getByRole('alert')).toHaveText('too odd');
    await expect(field).toHaveValue('odd');
});

test('a name given elsewhere shows here', async ({ app, daemon }) => {
    const handle = await daemon.agent('worker', '<<say hi>>');
    await app.open('worker');
    await daemon.paseo('rename', handle, 'elsewhere');
    await expect(heading(app, 'elsewhere')).toBeVisible();
});

test('the header calls a definition of the project by its name', async ({ app, daemon }) => {
    await daemon.project('helper.toml', "name = 'Project helper'\nprovider = 'scripted'\n");
    await daemon.paseo('agents', 'trust', '--yes');
    await daemon.agent('worker', '<<say hi>>', '--agent', 'helper');
    await app.open('worker');
    await expect(
        app.page.getByRole('button', { name: 'Switch agent, current: Project helper' }),
    ).toBeVisible();
});
