import type { Locator } from '@playwright/test';
import { expect, gate, test, type App } from './app';
import type { Daemon } from './daemon';
import { team, TeamPage } from './teams';
import { visit } from './pages';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK = { viewport: { width: 1440, height: 900 } };

function tool(name: string, input: object): string {
    return `<<tool ${name} ${JSON.stringify(input)}>>`;
}

function claim(task: string): string {
    return tool('team_tasks_claim', { taskId: task });
}

function complete(task: string): string {
    return tool('team_tasks_complete', { taskId: task, epoch: 1 });
}

/** Starts a worker of the team red with the form of its page. */
async function start({ page }: App, script: string): Promise<void> {
    await page.getByRole('button', { name: 'Actions for the team' }).click();
    await page.getByRole('menuitem', { name: 'Start a worker in a terminal' }).click();
    const form = page.getByRole('dialog', { name: 'Start a worker' });
    await form.getByRole('textbox', { name: /^Task/ }).fill(script);
    await form.getByLabel(/^Provider/).selectOption('scripted');
    await form.getByRole('button', { name: 'Start worker' }).click();
    await expect(form).toHaveCount(0, { timeout: 20_000 });
}

/** Types into the terminal of a worker, from its tile, while another browser watches. */
async function typeInto(app: App, watcher: App, worker: string, text: string, phone: boolean): Promise<void> {
    const { page } = app;
    const [tile, theirs] = [await tileOf(app, worker), await tileOf(watcher, worker)];
    await expect(theirs.getByRole('status')).toHaveText('Watching');
    await tile.getByRole('button', { name: 'Take over' }).click();
    await expect(tile.getByRole('status')).toHaveText('You have the keyboard');
    // The other browser sees who has it, and all that is typed, and cannot type.
    await expect(theirs.getByRole('status')).toContainText('has the keyboard');
    await expect(theirs.getByRole('button', { name: 'Release' })).toHaveCount(0);
    if (phone) {
        await tile.getByRole('textbox', { name: 'Text for the terminal' }).fill(text);
        await tile.getByRole('button', { name: 'Send' }).click();
    } else {
        await page.keyboard.type(text);
        await page.keyboard.press('Enter');
    }
    for (const each of [tile, theirs])
        await expect(each.locator('.xterm-rows')).toContainText('shipped', { timeout: 20_000 });
    await tile.getByRole('button', { name: 'Release' }).click();
    for (const each of [tile, theirs]) await expect(each.getByRole('status')).toHaveText('Watching');
    for (const each of [app, watcher]) await each.page.getByRole('button', { name: /^Board/ }).click();
}

/** Shows the terminal of a worker among those of its team. */
async function tileOf({ page }: App, worker: string): Promise<Locator> {
    await page.getByRole('button', { name: /^Terminals/ }).click();
    const tile = page.getByRole('region', { name: `Terminal of ${worker}`, exact: true });
    await tile.scrollIntoViewIfNeeded();
    return tile;
}

async function completions(daemon: Daemon): Promise<string[]> {
    const trail = JSON.parse(await daemon.paseo('team', 'audit', 'red', '--json')) as {
        notices: { type: string; task: string | null; actor: string }[];
    };
    return trail.notices
        .filter(({ type }) => type === 'task_completed')
        .map(({ actor, task }) => `${actor} ${task}`)
        .sort();
}

for (const [what, screen, other] of [
    ['phone', PHONE, DESK],
    ['desktop', DESK, PHONE],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('three workers finish five tasks while the daemon is killed twice, and one is taken over', async ({
            app,
            another,
            daemon,
            complaints,
        }) => {
            test.setTimeout(120_000);
            complaints.allow(/WebSocket|ERR_|Failed to load|NetworkError|503/);
            await team(daemon, 'red', [
                { title: 'Plan it', resources: ['docs'] },
                { title: 'Write it', resources: ['src'], deps: ['task-0001'] },
                { title: 'Test it', resources: ['tests'], deps: ['task-0002'] },
                { title: 'Document it', resources: ['docs'], deps: ['task-0001'] },
                { title: 'Ship it', resources: ['.'], deps: ['task-0003', 'task-0004'] },
            ]);
            const first = new TeamPage(app);
            const second = new TeamPage(await another(other));
            for (const each of [first, second]) await visit(each.page, '/app/teams/red');
            const both = async (column: string, count: number) => {
                for (const each of [first, second]) await each.expectIn(column, count);
            };
            await start(
                app,
                `${claim('task-0001')}${gate('planned')}${complete('task-0001')}<<say planned>>`,
            );
            const work = (task: string, from: string) =>
                `${gate(from)}${claim(task)}${gate('done')}${complete(task)}<<say ended ${task}>>`;
            await start(app, `${work('task-0002', 'go')}${claim('task-0003')}${complete('task-0003')}`);
            await start(app, work('task-0004', 'go'));
            await both('In progress', 1);
            await expect(first.card('task-0001')).toContainText('red-1');
            await both('Blocked', 4);

            await daemon.kill();
            await daemon.touch('planned');
            await both('Done', 1);
            await both('Ready', 2);
            await daemon.touch('go');
            await both('In progress', 2);

            await daemon.kill();
            await daemon.touch('done');
            await both('Done', 4);
            await both('Ready', 1);

            await typeInto(
                app,
                second.app,
                'red-3',
                `${claim('task-0005')}${complete('task-0005')}<<say shipped>>`,
                what === 'phone',
            );
            await both('Done', 5);
            for (const column of ['Blocked', 'Ready', 'In progress']) await both(column, 0);
            expect(await completions(daemon)).toEqual([
                'red-1 task-0001',
                'red-2 task-0002',
                'red-2 task-0003',
                'red-3 task-0004',
                'red-3 task-0005',
            ]);
            await app.page.getByRole('button', { name: 'Audit trail' }).click();
            const trail = app.page.getByRole('dialog', { name: 'Audit trail' });
            await expect(trail.getByRole('listitem').filter({ hasText: ' completed task-' })).toHaveCount(5);
        });
    });
