import type { Page } from '@playwright/test';
import { App, expect } from './app';
import { CONFIRMS, expectConfirm, type Opened } from './confirms';
import type { Daemon } from './daemon';
import { TOGETHER } from './openedTogether';

/** Returns the address that is meant. */
export async function locate(at: string, daemon: Daemon): Promise<string> {
    const agents = await daemon.listed();
    return at
        .replace(
            /^agent:(\w+)/,
            (_, name) => `/app/agents/${agents.find((agent) => agent.name === name)?.id}`,
        )
        .replace(/=project$/, `=${encodeURIComponent(daemon.work)}`);
}

/** Opens the menu of an agent, and a dialog from it. */
async function choose(page: Page, name: string, action: string): Promise<void> {
    await page.locator('[data-agent]').filter({ hasText: name }).hover();
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
}

export const OPENED: readonly Opened[] = [
    {
        what: 'palette',
        at: '/app',
        open: async (page) => {
            await page.keyboard.press('Control+k');
            await expect(page.getByRole('combobox')).toBeFocused();
            await page.keyboard.press('ArrowDown');
        },
    },
    {
        what: 'keys',
        at: '/app/agents',
        only: 'desktop',
        open: async (page) => {
            await page.keyboard.press('?');
            await expect(page.getByRole('dialog')).toBeVisible();
        },
    },
    {
        what: 'more',
        at: '/app',
        only: 'phone',
        open: async (page) => {
            await page.getByRole('button', { name: 'More' }).click();
            await expect(page.getByRole('dialog')).toBeVisible();
        },
    },
    {
        what: 'menu of an agent',
        at: '/app/agents',
        open: async (page) => {
            await page.locator('[data-agent]').filter({ hasText: 'talker' }).hover();
            await page.getByRole('button', { name: 'Actions for talker' }).click();
            await expect(page.getByRole('menu')).toBeVisible();
        },
    },
    ...['todo', 'family', 'files', 'info'].map((panel) => ({
        what: `panel ${panel}`,
        at: `agent:talker?panel=${panel}`,
        open: async (page: Page) => {
            await expect(page.locator('li[data-kind]').last()).toBeVisible();
        },
    })),
    {
        what: 'outline',
        at: 'agent:talker',
        open: async (page) => {
            await new App(page).inHeader('Turns');
            await expect(page.getByRole('dialog', { name: 'Turns' }).locator('[data-turn]')).toHaveCount(1);
        },
    },
    {
        what: 'switch',
        at: 'agent:talker',
        open: async (page) => {
            await page.getByRole('button', { name: /^Switch agent/ }).click();
            const sheet = page.getByRole('dialog', { name: 'Switch agent' });
            await expect(sheet.getByRole('listitem').first()).toBeVisible();
        },
    },
    {
        what: 'return',
        at: 'agent:failed',
        open: async (page) => {
            await page.getByRole('button', { name: /^Switch agent/ }).click();
            const sheet = page.getByRole('dialog', { name: 'Switch agent' });
            await sheet.getByRole('button', { name: /^Reviewer/ }).click();
            await page.getByRole('button', { name: /^Return to/ }).click();
            await expect(page.getByRole('dialog', { name: /^Return to/ })).toBeVisible();
        },
    },
    {
        what: 'run options',
        at: 'agent:talker',
        open: async (page) => {
            await page.getByRole('button', { name: /^Model and permissions:/ }).click();
            await expect(page.getByRole('dialog', { name: 'Model and permissions' })).toBeVisible();
        },
    },
    {
        what: 'why',
        at: 'agent:failed',
        open: async (page) => {
            await page.getByRole('button', { name: /^Status: .*Why\?$/ }).click();
            await expect(page.getByRole('dialog', { name: /^Why the agent is/ })).toBeVisible();
        },
    },
    {
        what: 'group',
        at: '/app/agents',
        open: async (page) => {
            await page.getByRole('button', { name: /^Group by/ }).click();
            await expect(page.getByRole('menu', { name: 'Group by' })).toBeVisible();
        },
    },
    {
        what: 'arrange',
        at: 'agent:talker?panel=files',
        only: 'desktop',
        open: async (page) => {
            await page.getByRole('button', { name: /^Arrange / }).click();
            await expect(page.getByRole('dialog', { name: /^Arrange / })).toBeVisible();
        },
    },
    {
        what: 'labels of an agent',
        at: '/app/agents',
        open: async (page) => {
            await choose(page, 'talker', 'Labels…');
            await expect(page.getByRole('dialog', { name: /^Labels of talker/ })).toBeVisible();
        },
    },
    {
        what: 'find',
        at: 'agent:talker',
        open: async (page) => {
            await expect(page.locator('li[data-kind]').last()).toBeVisible();
            await new App(page).inHeader('Find in this conversation');
            await expect(page.getByRole('textbox', { name: 'Find in this conversation' })).toBeFocused();
        },
    },
    {
        what: 'image of a file',
        at: 'agent:talker?panel=files',
        open: async (page) => {
            await page.getByRole('button', { name: /^picture\.png/ }).click();
            await page.getByRole('button', { name: 'Enlarge picture.png' }).click();
            await expect(page.getByRole('dialog', { name: 'picture.png' }).getByRole('img')).toBeVisible();
        },
    },
    {
        what: 'labels',
        at: '/app/agents',
        open: async (page) => {
            await page.getByRole('button', { name: /^All \d+ labels$/ }).click();
            await expect(page.getByRole('menuitemcheckbox', { name: /^l7=x/ })).toBeVisible();
        },
    },
    {
        what: 'cancel a message of another agent',
        at: 'agent:busy',
        open: async (page) => {
            await page.getByRole('button', { name: 'Cancel “from a peer”' }).click();
            await expectConfirm(page, 'Cancel this message?', 'Cancel message');
        },
    },
    {
        what: 'clear a transcript',
        at: '/app/agents',
        open: async (page) => {
            await choose(page, 'talker', 'Clear transcript');
            await expectConfirm(page, /^Clear the transcript of “talker”/, 'Clear');
        },
    },
    ...CONFIRMS,
    ...['Directory', 'Definition', 'Provider', 'Permissions', 'Worktree', 'Team', 'Labels', 'Details'].map(
        (chip) => ({
            what: `choice of ${chip}`,
            at: '/app/new',
            open: async (page: Page) => {
                await page.getByRole('button', { name: new RegExp(`^${chip}: `) }).click();
                await expect(page.getByRole('dialog', { name: chip, exact: true })).toBeVisible();
            },
        }),
    ),
    ...TOGETHER,
    {
        what: 'unknown address',
        at: '/app/nothing',
        open: () => Promise.resolve(),
    },
];
