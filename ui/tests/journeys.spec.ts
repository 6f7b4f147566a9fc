import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PAGES } from '../src/shell/routes';
import { expect, gate, press, test, type App } from './app';
import { said } from './asked';
import type { Daemon } from './daemon';
import { journey, PHONE, type Journey } from './journey';

const prompt = (app: App) => app.page.getByRole('textbox', { name: 'What should it do?' });
const finished = (app: App) => app.page.getByRole('region', { name: 'Finished since you looked' });
const needs = (app: App) => app.page.getByRole('region', { name: 'Needs you' });

/** Makes an agent, and returns the address of its page. */
const agentAt = (name: string, script: string) => async (daemon: Daemon) => {
    await daemon.agent(name, script);
    return `/app/agents/${(await daemon.listed()).find((agent) => agent.name === name)?.id}`;
};

const AGENTS: readonly Journey[] = [
    {
        page: 'inbox',
        at: async (daemon) => {
            await daemon.agent('broken', '<<fail out of order>>');
            return '/app';
        },
        see: (app) => expect(needs(app)).toContainText('broken'),
        after: async ({ desk, phone, daemon }) => {
            const handle = await daemon.agent('later', '<<ask May I go on?>><<say went on>>');
            const request = (app: App) => app.page.getByRole('region', { name: 'later asks for permission' });
            for (const app of [desk, phone]) await expect(request(app)).toContainText('May I go on?');
            await press(request(phone).getByRole('button', { name: 'Allow', exact: true }));
            await expect(request(desk)).toContainText(/allowed/i);
            await daemon.paseo('wait', handle);
        },
        then: (app) => expect(finished(app)).toContainText('went on'),
    },
    {
        page: 'agents',
        at: '/app/agents',
        see: (app) => expect(app.row('broken')).toBeVisible(),
        after: async ({ desk, phone, daemon }) => {
            await daemon.agent('newest', '<<say done>>');
            for (const app of [desk, phone]) await expect(app.row('newest')).toContainText('done');
            await phone.choose('newest', 'Pin');
        },
        then: (app) => expect(app.row('newest')).toContainText('Pinned'),
    },
    {
        page: 'agent',
        at: agentAt('worker', `<<say on it>>${gate('go')}<<say never said>>`),
        see: (app) => expect(app.items('answer').first()).toHaveText('on it'),
        after: ({ desk }) => desk.send('<<say back again>>'),
        then: (app) => expect(app.items('answer').last()).toHaveText('back again'),
    },
    {
        page: 'newAgent',
        at: '/app/new',
        before: async ({ desk, phone }) => {
            for (const app of [desk, phone]) await prompt(app).fill('<<say started after the crash>>');
        },
        see: (app) => expect(prompt(app)).toHaveValue('<<say started after the crash>>'),
        after: async (both) => {
            for (const app of [both.desk, both.phone])
                await app.page.getByRole('button', { name: 'Start', exact: true }).click();
        },
        then: (app) => expect(app.items('answer').last()).toHaveText('started after the crash'),
    },
    {
        page: 'search',
        at: async (daemon) => {
            await expect.poll(() => daemon.paseo('search', 'crash')).toContain('started after');
            return '/app/search?q=crash';
        },
        see: (app) => expect(app.page.locator('mark').first()).toHaveText('crash'),
        after: async ({ desk, phone }) => {
            for (const app of [desk, phone]) await app.page.getByRole('searchbox').fill('back again');
        },
        then: (app) => expect(app.page.locator('mark').first()).toHaveText('back'),
    },
];

/** Pages of what agents do together. */
const TOGETHER: readonly Journey[] = [
    {
        page: 'threads',
        at: async (daemon) => {
            await daemon.paseo('thread', 'new', 'planning');
            return '/app/threads';
        },
        see: (app) => expect(app.page.locator('[data-thread]')).toContainText('planning'),
        after: async ({ daemon }) => {
            await daemon.paseo('thread', 'new', 'review');
        },
        then: (app) => expect(app.page.locator('[data-thread]').filter({ hasText: 'review' })).toBeVisible(),
    },
    {
        page: 'thread',
        at: async (daemon) => {
            await daemon.paseo('thread', 'post', 'planning', 'before the crash');
            const [thread] = (await daemon.paseo('thread', 'ls', '-q')).split('\n');
            return `/app/threads/${thread}`;
        },
        before: ({ desk, phone }) =>
            Promise.all([desk, phone].map((app) => written(app).fill('draft'))).then(),
        see: (app) => expect(written(app)).toHaveValue('draft'),
        after: async ({ desk }) => {
            await written(desk).fill('after the crash');
            await written(desk).press('Enter');
        },
        then: (app) => expect(messages(app).last()).toContainText('after the crash'),
    },
    {
        page: 'teams',
        at: async (daemon) => {
            await daemon.paseo('team', 'create', 'red');
            return '/app/teams';
        },
        see: (app) => expect(app.page.getByRole('list', { name: 'Teams' })).toContainText('red'),
        after: async ({ daemon }) => {
            await daemon.paseo('team', 'create', 'blue');
        },
        then: (app) => expect(app.page.getByRole('list', { name: 'Teams' })).toContainText('blue'),
    },
    {
        page: 'team',
        at: async (daemon) => {
            await daemon.paseo('task', 'create', 'Parse', '--team', 'red');
            return '/app/teams/red';
        },
        see: (app) => expect(app.page.locator('[data-task]').first()).toContainText('Parse'),
        after: async ({ daemon }) => {
            await daemon.paseo('task', 'create', 'Print', '--team', 'red');
        },
        then: (app) => expect(app.page.locator('[data-task]').filter({ hasText: 'Print' })).toBeAttached(),
    },
    {
        page: 'map',
        at: async (daemon) => {
            await daemon.agent('mapped', '<<say done>>');
            return '/app/map?all=1';
        },
        see: (app) => expect(app.page.getByRole('main')).toContainText('mapped'),
        after: async ({ daemon }) => {
            await daemon.agent('placed', '<<say done>>');
        },
        then: (app) => expect(app.page.getByRole('main')).toContainText('placed'),
    },
    {
        page: 'cause',
        at: async (daemon) => {
            const handle = await daemon.agent('asked', '<<say done>>');
            await daemon.paseo('wait', handle);
            return `/app/causes/${(await said(daemon, handle))[0]!.fields.delivery}`;
        },
        see: (app) => expect(caused(app)).toContainText('asked'),
        after: async ({ desk, phone }) => {
            for (const app of [desk, phone]) await caused(app).getByRole('link').first().click();
        },
        then: (app) => expect(app.page).toHaveURL(/\/app\/agents\//),
    },
];

const written = (app: App) => app.page.getByRole('textbox', { name: /^Message to/ });
const messages = (app: App) => app.page.locator('li[data-kind="message"]');
const caused = (app: App) => app.page.locator('[data-cause-agent]');

test('two browsers go through what agents do together, while the daemon is killed', async ({
    app,
    another,
    daemon,
    complaints,
}) => {
    test.setTimeout(300_000);
    complaints.allow(/ERR_|Failed to load|50[23]/);
    const phone = await another(PHONE);
    for (const each of TOGETHER) await journey({ desk: app, phone, daemon }, each);
});

test('two strangers log in after the daemon was killed', async ({ stranger, daemon, complaints }) => {
    complaints.allow(/ERR_|Failed to load|40[14]|50[23]/);
    const pages = [await stranger(), await stranger(PHONE)];
    const told = (page: (typeof pages)[0]) => page.getByRole('heading', { name: 'not logged in' });
    for (const page of pages) {
        await page.goto(`${daemon.url}/app/agents`);
        await expect(told(page)).toBeVisible();
        await expect(page).toHaveURL(/\/login$/);
    }
    await daemon.kill();
    for (const page of pages) {
        await page.reload();
        await expect(told(page)).toBeVisible();
        await page.goto(await daemon.link());
        // Where they wanted to go is forgotten with the page.
        await expect(page).toHaveURL(/\/app(\/agents)?$/);
        await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    }
});

test('there is a journey for each page', async () => {
    const files = (await readdir(import.meta.dirname)).filter((name) => /^journeys.*\.spec\.ts$/.test(name));
    const texts = await Promise.all(files.map((name) => readFile(join(import.meta.dirname, name), 'utf8')));
    const covered = new Set(
        texts.flatMap((text) => [...text.matchAll(/^ +page: '(\w+)',$/gm)].map(([, name]) => name)),
    );
    expect(Object.keys(PAGES).filter((name) => !covered.has(name))).toEqual([]);
});

test('two browsers go through all pages about agents, while the daemon is killed', async ({
    app,
    another,
    daemon,
    complaints,
}) => {
    test.setTimeout(300_000);
    complaints.allow(/ERR_|Failed to load|50[23]/);
    await daemon.define('default', "provider = 'scripted'\n");
    const phone = await another(PHONE);
    for (const each of AGENTS) await journey({ desk: app, phone, daemon }, each);
});
