import { App, expect, test } from './app';
import { Pages } from './definitions';
import { journey, PHONE, type Both, type Journey } from './journey';
import { Settings } from './settings';

const heading = (app: App, name: string) => app.page.getByRole('heading', { level: 1, name });
const main = (app: App) => app.page.getByRole('main');
const field = (app: App, name: RegExp) => main(app).getByRole('textbox', { name });

/** Does something in both browsers, with a word that tells them apart. */
async function inBoth({ desk, phone }: Both, act: (app: App, who: string) => Promise<void>): Promise<void> {
    await act(desk, 'desk');
    await act(phone, 'phone');
}

/** Pages with a form: what was typed before the crash is sent after it. */
const FORMS: readonly Journey[] = [
    {
        page: 'definition',
        at: '/app/settings/definitions/reviewer',
        before: async ({ desk }) => {
            const text = new Pages(desk).text('reviewer');
            await text.fill((await text.inputValue()).replace('Reads changes', 'Reads carefully'));
        },
        see: (app) => expect(new Pages(app).text('reviewer')).toHaveValue(/Reads (changes|carefully)/),
        after: async ({ desk, daemon }) => {
            await new Pages(desk).save.click();
            await expect(main(desk)).toContainText('Saved and in effect.');
            expect(await daemon.placed('reviewer.toml')).toContain('Reads carefully');
        },
        then: (app) => expect(new Pages(app).text('reviewer')).toHaveValue(/Reads carefully/),
    },
    {
        page: 'newDefinition',
        at: '/app/settings/new-definition',
        before: (both) => inBoth(both, (app, who) => field(app, /^Slug/).fill(`from-${who}`)),
        see: (app) => expect(field(app, /^Slug/)).toHaveValue(/^from-(desk|phone)$/),
        after: (both) => inBoth(both, (app) => main(app).getByRole('button', { name: 'Create' }).click()),
        then: (app) => expect(app.page).toHaveURL(/\/settings\/definitions\/from-(desk|phone)$/),
    },
    {
        page: 'newProvider',
        at: '/app/settings/new-provider',
        before: (both) =>
            inBoth(both, async (app, who) => {
                await field(app, /^Name/).fill(`from-${who}`);
                await field(app, /^Program/).fill('/bin/cat');
            }),
        see: (app) => expect(field(app, /^Name/)).toHaveValue(/^from-(desk|phone)$/),
        after: (both) =>
            inBoth(both, async (app, who) => {
                await main(app).getByRole('button', { name: 'Add provider' }).click();
                await expect(app.page).toHaveURL(/\/settings\/providers$/);
                await expect(new Settings(app.page).row(`from-${who}`)).toContainText('added by you');
            }),
    },
    {
        page: 'appearance',
        at: '/app/settings/appearance',
        before: (both) =>
            inBoth(both, (app, who) =>
                main(app)
                    .getByRole('radio', { name: who === 'desk' ? 'Dark' : 'Light' })
                    .check(),
            ),
        see: (app) => expect(app.page.locator('html')).toHaveAttribute('data-theme', /^(dark|light)$/),
        after: (both) =>
            inBoth(both, (app) => main(app).getByRole('radio', { name: 'Match the system' }).check()),
        then: (app) => expect(app.page.locator('html')).not.toHaveAttribute('data-theme'),
    },
    {
        page: 'settings',
        at: '/app/settings',
        see: (app) => expect(heading(app, 'Settings')).toBeVisible(),
        after: (both) => inBoth(both, (app) => app.page.getByRole('link', { name: /^Devices/ }).click()),
        then: (app) => expect(main(app)).toContainText('This browser'),
    },
    {
        page: 'keys',
        at: '/app/settings/keys',
        see: (app) => expect(main(app)).toContainText('new agent'),
        after: (both) =>
            inBoth(both, async (app) => {
                await app.page.keyboard.press('g');
                await app.page.keyboard.press('a');
            }),
        then: (app) => expect(app.page).toHaveURL(/\/app\/agents$/),
    },
];

/** Pages with a list: what is done about its rows after the crash, both see. */
const LISTS: readonly Journey[] = [
    {
        page: 'permissions',
        at: '/app/settings/permissions',
        before: async ({ desk }) => main(desk).getByRole('switch', { name: 'Message other tabs' }).click(),
        see: (app) => expect(main(app).getByRole('switch', { name: 'Message other tabs' })).toBeChecked(),
        after: async ({ phone }) => main(phone).getByRole('switch', { name: 'Start subagents' }).click(),
        then: (app) => expect(main(app).getByRole('switch', { name: 'Start subagents' })).toBeChecked(),
    },
    {
        page: 'tokens',
        at: async (daemon) => {
            await daemon.paseo('token', 'create', '--name', 'first');
            return '/app/settings/tokens';
        },
        see: (app) => expect(new Settings(app.page).row('first')).toHaveCount(1),
        after: async ({ desk }) => {
            const settings = new Settings(desk.page);
            await settings
                .row('first')
                .getByRole('button', { name: /^Revoke/ })
                .click();
            await settings.confirm('Revoke');
        },
        then: (app) => expect(new Settings(app.page).row('first')).toHaveCount(0),
    },
    {
        page: 'definitions',
        at: '/app/settings/definitions',
        see: (app) => expect(app.page.locator('[data-definition="reviewer"]')).toBeVisible(),
        after: async ({ daemon }) => daemon.define('newest', "provider = 'scripted'\n"),
        then: (app) => expect(app.page.locator('[data-definition="newest"]')).toBeVisible(),
    },
    {
        page: 'rules',
        at: '/app/settings/rules',
        see: (app) => expect(heading(app, 'Remembered rules')).toBeVisible(),
        after: async ({ daemon }) => {
            const handle = await daemon.agent('asking', '<<sh echo careful>>', '--permissions', 'ask');
            await expect.poll(() => daemon.paseo('permit', 'ls')).toContain('echo careful');
            await daemon.paseo('permit', 'allow', '--always', '--yes', handle);
        },
        then: (app) => expect(main(app)).toContainText('echo careful'),
    },
    {
        page: 'providers',
        at: '/app/settings/providers',
        see: (app) => expect(main(app)).toContainText('scripted'),
        after: async ({ daemon, desk, phone }) => {
            await daemon.paseo('providers', 'add', 'added-later', '--', 'true');
            for (const app of [desk, phone])
                await main(app).getByRole('button', { name: 'Check again' }).click();
        },
        then: (app) => expect(main(app)).toContainText('added-later'),
    },
    {
        page: 'usage',
        at: '/app/settings/usage',
        before: (both) => inBoth(both, (app) => main(app).getByRole('button', { name: '90 days' }).click()),
        see: async (app) => {
            await expect(main(app)).toContainText('No usage');
            await expect(main(app).getByRole('button', { name: '90 days' })).toHaveAttribute(
                'aria-pressed',
                'true',
            );
        },
        after: async (both) => {
            await both.daemon.paseo(
                'wait',
                await both.daemon.agent('spender', '<<usage 1200 80>><<say ok>>'),
            );
            await inBoth(both, (app) => main(app).getByRole('button', { name: 'Refresh' }).click());
        },
        then: (app) =>
            expect(main(app).getByRole('region', { name: 'By project', exact: true })).toContainText('work'),
    },
    {
        page: 'devices',
        at: '/app/settings/devices',
        see: (app) => expect(new Settings(app.page).row('Firefox on Linux')).toHaveCount(1),
        after: async ({ phone }) => {
            const settings = new Settings(phone.page);
            await settings
                .row('Firefox on Linux')
                .getByRole('button', { name: /^Revoke/ })
                .click();
            await settings.confirm('Revoke');
        },
        then: (app) => expect(new Settings(app.page).row('Firefox on Linux')).toHaveCount(0),
    },
    {
        page: 'worktrees',
        at: async (daemon) => {
            await daemon.repository();
            const agent = await daemon.paseo('run', '-d', '--worktree=spike', '<<say done>>');
            await daemon.paseo('wait', agent);
            await daemon.paseo('close', agent);
            return '/app/settings/worktrees';
        },
        before: ({ desk }) =>
            new Settings(desk.page)
                .row('work-spike')
                .getByRole('button', { name: /^Remove/ })
                .click(),
        see: (app) => expect(new Settings(app.page).row('work-spike')).toHaveCount(1),
        // The question was open while the daemon was gone.
        after: async ({ desk, phone }) => {
            await new Settings(desk.page).confirm('Remove');
            await expect(main(desk).getByRole('region', { name: 'Removed work-spike' })).toBeVisible();
            await main(phone).getByRole('button', { name: 'Refresh' }).click();
        },
        then: (app) => expect(main(app).getByText('No worktrees')).toBeVisible(),
    },
    {
        page: 'diagnostics',
        at: '/app/settings/diagnostics',
        see: (app) => expect(main(app)).toContainText('Version'),
        after: async (both) => {
            await both.daemon.place('../config.toml', 'listen = ');
            await inBoth(both, (app) => main(app).getByRole('button', { name: 'Check again' }).click());
        },
        then: (app) => expect(main(app).getByRole('region', { name: 'Checks' })).toContainText('Failed'),
    },
];

for (const [what, journeys] of [
    ['with a form', FORMS],
    ['with a list', LISTS],
] as const)
    test(`two browsers go through the settings ${what}, while the daemon is killed`, async ({
        app,
        another,
        stranger,
        daemon,
        complaints,
    }) => {
        test.setTimeout(300_000);
        complaints.allow(/ERR_|Failed to load|50[23]/);
        await daemon.define(
            'reviewer',
            "name = 'Reviewer'\ndescription = 'Reads changes'\nprovider = 'scripted'\n",
        );
        const phone = await another(PHONE);
        const third = await stranger({ userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/150' });
        await new App(third).login(daemon);
        await third.close();
        for (const each of journeys) await journey({ desk: app, phone, daemon }, each);
    });
