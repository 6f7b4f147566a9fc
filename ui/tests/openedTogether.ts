import type { Page } from '@playwright/test';
import { expect } from './app';
import { expectConfirm, type Opened } from './confirms';
import type { Daemon } from './daemon';

/** A team with a member and a task, and a thread with a participant who has answered. */
export async function seedTogether(daemon: Daemon): Promise<void> {
    await daemon.paseo('team', 'create', 'red', '--agent', 'ann');
    await daemon.paseo('task', 'create', 'First', '--team', 'red');
    const id = await daemon.paseo('thread', 'new', 'planning', '-C', daemon.work, '-q');
    await daemon.paseo('thread', 'invite', 'planning', 'scripted', '--id', 'ada');
    await daemon.paseo('thread', 'post', 'planning', '@ada <<say here>>');
    const headers = { Authorization: `Bearer ${await daemon.secret()}` };
    const events = async () => (await fetch(`${daemon.url}/api/threads/${id}/events`, { headers })).text();
    await expect.poll(events).toContain('"here"');
}

/** Opens the thread, and waits for what was said. */
async function inThread(page: Page): Promise<void> {
    await page
        .getByRole('link', { name: /^planning/ })
        .first()
        .click();
    await expect(page.locator('li[data-kind="message"]').last()).toContainText('here');
}

/** Shows the participants of the thread, which are beside it or in a sheet, and opens the menu of one. */
async function ofParticipant(page: Page): Promise<void> {
    await inThread(page);
    const menu = page.getByRole('button', { name: 'Actions for ada' });
    if (!(await menu.isVisible()))
        await page.getByRole('button', { name: 'Participants', exact: true }).first().click();
    await menu.click();
    await expect(page.getByRole('menu', { name: 'ada' })).toBeVisible();
}

/** Opens the menu of the thread. */
async function ofThread(page: Page): Promise<void> {
    await inThread(page);
    await page.getByRole('button', { name: 'Actions for this thread' }).click();
    await expect(page.getByRole('menu')).toBeVisible();
}

/** Opens the form or the dialog of a team. */
async function ofTeam(page: Page, action: string, title: string | RegExp): Promise<void> {
    await page.getByRole('button', { name: 'Actions for the team' }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await expect(page.getByRole('dialog', { name: title })).toBeVisible();
}

/** Forms, sheets and questions of threads, teams and requests. */
export const TOGETHER: readonly Opened[] = [
    {
        what: 'form of a thread',
        at: '/app/threads',
        open: async (page) => {
            await page.getByRole('button', { name: 'New thread' }).click();
            await expect(page.getByRole('form', { name: 'New thread' })).toBeVisible();
        },
    },
    {
        what: 'thread',
        at: '/app/threads',
        open: inThread,
    },
    {
        what: 'invitation to a thread',
        at: '/app/threads',
        open: async (page) => {
            await inThread(page);
            await page.getByRole('button', { name: 'Invite agent' }).first().click();
            const sheet = page.getByRole('dialog', { name: 'Invite an agent' });
            await expect(sheet.getByRole('textbox', { name: 'Id' })).toHaveValue(/^scripted|./);
        },
    },
    {
        what: 'menu of a participant',
        at: '/app/threads',
        open: ofParticipant,
    },
    {
        what: 'remove a participant',
        at: '/app/threads',
        open: async (page) => {
            await ofParticipant(page);
            await page.getByRole('menuitem', { name: 'Remove' }).click();
            await expectConfirm(page, 'Remove ada from this thread?', 'Remove');
        },
    },
    {
        what: 'menu of a thread',
        at: '/app/threads',
        open: ofThread,
    },
    {
        what: 'delete a thread',
        at: '/app/threads',
        open: async (page) => {
            await ofThread(page);
            await page.getByRole('menuitem', { name: 'Delete' }).click();
            await expectConfirm(page, 'Delete “planning”?', 'Delete');
        },
    },
    {
        what: 'token of a thread',
        at: '/app/threads',
        open: async (page) => {
            await ofThread(page);
            await page.getByRole('menuitem', { name: 'Token for an outside program' }).click();
            const sheet = page.getByRole('dialog', { name: 'Token for an outside program' });
            await expect(sheet.getByRole('textbox', { name: 'Participant' })).toBeVisible();
        },
    },
    {
        what: 'form of a team',
        at: '/app/teams',
        open: async (page) => {
            await page.getByRole('button', { name: 'New team' }).first().click();
            await expect(page.getByRole('textbox', { name: /^Id|^Name/ }).first()).toBeVisible();
        },
    },
    {
        what: 'form of a task',
        at: '/app/teams/red',
        open: async (page) => {
            await page.getByRole('button', { name: 'New task' }).click();
            await expect(page.getByRole('dialog', { name: 'New task' })).toBeVisible();
        },
    },
    {
        what: 'task',
        at: '/app/teams/red?task=task-0001',
        open: async (page) => {
            await expect(page.getByRole('dialog', { name: 'task-0001' })).toBeVisible();
        },
    },
    {
        what: 'team',
        at: '/app/teams/red',
        open: async (page) => {
            await expect(page.getByText('First', { exact: true }).first()).toBeVisible();
        },
    },
    {
        what: 'menu of a task',
        at: '/app/teams/red',
        open: async (page) => {
            await page.getByRole('button', { name: 'Actions for task-0001' }).first().click();
            await expect(page.getByRole('menu')).toBeVisible();
        },
    },
    {
        what: 'remove a member',
        at: '/app/teams/red',
        open: async (page) => {
            await expect(page.getByText('First', { exact: true }).first()).toBeVisible();
            const members = page.getByRole('button', { name: /^Members/ });
            if (await members.isVisible()) await members.click();
            await page.getByRole('button', { name: 'Remove ann' }).click();
            await expectConfirm(page, 'Remove ann from the team?', 'Remove');
        },
    },
    {
        what: 'form of a worker',
        at: '/app/teams/red',
        open: (page) => ofTeam(page, 'Start a worker in a terminal', 'Start a worker'),
    },
    {
        what: 'request',
        at: 'agent:talker',
        open: async (page) => {
            await page.getByRole('link', { name: 'What this message led to' }).first().click();
            await expect(page.getByRole('heading', { level: 1, name: 'Request' })).toBeVisible();
            await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
        },
    },
    // A sheet stays open when the same address is visited again.
    {
        what: 'audit trail',
        at: '/app/teams/red',
        open: async (page) => {
            await page.getByRole('button', { name: 'Audit trail' }).click();
            await expect(page.getByRole('dialog', { name: 'Audit trail' })).toBeVisible();
        },
    },
    {
        what: 'stop of a request',
        at: 'agent:busy',
        open: async (page) => {
            await page.getByRole('link', { name: 'What this message led to' }).first().click();
            await page.getByRole('button', { name: 'Stop everything' }).click();
            await expectConfirm(page, /^Stop everything/, 'Stop everything');
        },
    },
];
