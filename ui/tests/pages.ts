import type { Page } from '@playwright/test';
import type { PAGES } from '../src/shell/routes';
import { expect, gate } from './app';
import type { Daemon } from './daemon';

/** The heading of a page, which says that it is there. */
export const HEADINGS: readonly (readonly [keyof typeof PAGES, string, string])[] = [
    ['inbox', '/app', 'Inbox'],
    ['agents', '/app/agents', 'Agents'],
    ['newAgent', '/app/new', 'New agent'],
    ['threads', '/app/threads', 'Threads'],
    ['teams', '/app/teams', 'Teams'],
    ['search', '/app/search', 'Search'],
    ['map', '/app/map', 'Map'],
    ['settings', '/app/settings', 'Settings'],
    ['permissions', '/app/settings/permissions', 'Permissions'],
    ['rules', '/app/settings/rules', 'Remembered rules'],
    ['providers', '/app/settings/providers', 'Providers'],
    ['newProvider', '/app/settings/new-provider', 'Add a provider'],
    ['definitions', '/app/settings/definitions', 'Definitions'],
    ['definition', '/app/settings/definitions/default', 'default'],
    ['newDefinition', '/app/settings/new-definition', 'New definition'],
    ['notifications', '/app/settings/notifications', 'Notifications'],
    ['devices', '/app/settings/devices', 'Devices'],
    ['tokens', '/app/settings/tokens', 'Tokens'],
    ['worktrees', '/app/settings/worktrees', 'Worktrees'],
    ['usage', '/app/settings/usage', 'Usage'],
    ['appearance', '/app/settings/appearance', 'Appearance'],
    ['keys', '/app/settings/keys', 'Keys'],
    ['diagnostics', '/app/settings/diagnostics', 'Diagnostics'],
];

const PICTURE =
    'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAYAAADED76LAAAAEUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Makes agents in all states, always the same ones. */
export async function seed(daemon: Daemon): Promise<void> {
    await daemon.write('picture.png', Buffer.from(PICTURE, 'base64'));
    await daemon.write('notes.md', '# Notes\n\nRead these first.\n');
    await daemon.define(
        'reviewer',
        "name = 'Reviewer'\ndescription = 'Reads changes'\nprovider = 'scripted'\n",
    );
    const talk =
        '<<say # Done\n\nAll **tests** pass, see `notes.md`.>><<sh echo checked>><<sh echo twice>><<say Anything else?>>';
    const strict = ['--permissions', 'ask'];
    // One after the other: lists are in the order in which things happened.
    for (const [name, status, script, ...flags] of [
        ['talker', 'idle', talk, '--label', 'area=web', '--agent', 'reviewer'],
        ['failed', 'error', '<<fail out of order>>'],
        ['asker', 'waiting', '<<ask May I delete the build folder?>>'],
        ['strict', 'waiting', '<<sh echo careful>>', ...strict],
        ['busy', 'running', `<<say on it>>${gate('go')}`],
    ] as const) {
        await daemon.agent(name, script, ...flags);
        await expect
            .poll(async () => (await daemon.listed()).find((agent) => agent.name === name)?.status)
            .toBe(status);
    }
}

/** Which programs are installed is no matter of the page. */
export async function withKnownProviders(page: Page): Promise<void> {
    await page.route(/\/api\/providers(\?|$)/, async (route) => {
        const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
        const response = await route.fetch({ headers });
        const list = (await response.json()) as { providers: { name: string }[] };
        const providers = list.providers.filter(({ name }) => ['scripted', 'external'].includes(name));
        await route.fulfill({ response, json: { ...list, providers } });
    });
}

/** Goes to a page, and waits until it is there. */
export async function visit(page: Page, path: string): Promise<void> {
    await page.goto(new URL(path, page.url()).href);
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
}
