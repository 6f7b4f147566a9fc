import type { Page } from '@playwright/test';
import { expect } from './app';

/** What is opened on top of a page: how, and where. */
export interface Opened {
    readonly what: string;
    /** An address; `agent:name` is that of an agent, and `project` the directory of all of them. */
    readonly at: string;
    readonly only?: 'phone' | 'desktop';
    readonly open: (page: Page) => Promise<void>;
}

/** A second step is there once its button takes it. */
export async function expectConfirm(page: Page, title: string | RegExp, confirm: string): Promise<void> {
    const dialog = page.getByRole('dialog', { name: title });
    await expect(dialog.getByRole('button', { name: confirm, exact: true })).toBeEnabled();
}

/** Second steps before something in the settings cannot be taken back. */
export const CONFIRMS: readonly Opened[] = [
    {
        what: 'revoke trust',
        at: '/app/settings/definitions?project=project',
        open: async (page) => {
            await page.getByRole('button', { name: 'Revoke trust' }).click();
            await expectConfirm(page, 'Revoke trust in this project?', 'Revoke trust');
        },
    },
    {
        what: 'revoke a token',
        at: '/app/settings/tokens',
        open: async (page) => {
            await page.getByRole('button', { name: 'Revoke ci' }).click();
            await expectConfirm(page, /./, 'Revoke');
        },
    },
    {
        what: 'log out a device',
        at: '/app/settings/devices',
        open: async (page) => {
            await page
                .getByRole('button', { name: /^Log out/ })
                .first()
                .click();
            await expectConfirm(page, 'Log out this browser?', 'Log out');
        },
    },
    {
        what: 'forget a rule',
        at: '/app/settings/rules',
        open: async (page) => {
            await page
                .getByRole('button', { name: /^Forget/ })
                .first()
                .click();
            await expectConfirm(page, /./, 'Forget');
        },
    },
    {
        what: 'remove a worktree',
        at: '/app/settings/worktrees',
        open: async (page) => {
            await page
                .getByRole('button', { name: /^Remove/ })
                .first()
                .click();
            await expectConfirm(page, /./, 'Archive and remove');
        },
    },
    {
        what: 'remove a provider',
        at: '/app/settings/providers',
        open: async (page) => {
            await page.getByRole('button', { name: 'Remove helper' }).click();
            await expectConfirm(page, 'Remove provider helper?', 'Remove');
        },
    },
];
