import { expect, expectAccessible, test } from './app';
import type { Daemon } from './daemon';
import { visit } from './pages';
import { ThreadPage } from './threads';
import { team } from './teams';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK = { viewport: { width: 1440, height: 900 } };

function tool(name: string, input: object): string {
    return `<<tool ${name} ${JSON.stringify(input)}>>`;
}

/** A worker that created, claimed and completed a task, and posted what came of it. */
async function worked(daemon: Daemon): Promise<void> {
    await team(daemon, 'red', []);
    const steps = [
        '<<usage 1200 30>>',
        tool('team_tasks_create', { title: 'Parse it' }),
        tool('team_tasks_claim', { taskId: 'task-0001' }),
        '<<say parsed>>',
    ];
    await daemon.paseo('worker', 'start', steps.join(''), '--team', 'red', '--provider', 'scripted');
    await expect
        .poll(async () => (await daemon.paseo('worker', 'capture', 'red-1')).includes('parsed'))
        .toBe(true);
}

for (const [what, screen] of [
    ['phone', PHONE],
    ['desktop', DESK],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('a message of a thread leads to its request, and that back to the message', async ({
            app,
            daemon,
        }) => {
            test.slow();
            const { page } = app;
            const thread = new ThreadPage(page);
            await page.goto(new URL('/app/threads', page.url()).href);
            const id = await thread.create('planning', daemon.work);
            await thread.invite({ id: 'scripted' });
            await thread.send('@scripted <<say planned>>');
            await expect(thread.messages.filter({ hasText: 'planned' }).last()).toBeVisible();
            const mine = thread.messages.first();
            await mine.hover();
            await mine.getByRole('link', { name: 'What this message led to' }).click();
            await expect(page.getByRole('heading', { level: 1, name: 'Request', exact: true })).toBeVisible();
            await expect(page.locator('[data-cause-agent]')).toHaveCount(1);
            await expectAccessible(page);
            await page.getByRole('link', { name: 'Posted in a thread' }).click();
            await expect(page).toHaveURL(new RegExp(`/app/threads/${id}\\?message=`));
            await expect(mine).toBeInViewport();
            // The answer belongs to the same request.
            await thread.messages.last().hover();
            await thread.messages.last().getByRole('link', { name: 'What this message led to' }).click();
            await expect(page.locator('[data-cause-agent]')).toHaveCount(1);
        });

        test('a request lists the tasks of its turns, tokens and cost, and each task opens', async ({
            app,
            daemon,
        }) => {
            test.slow();
            await worked(daemon);
            const { page } = app;
            const session = (await daemon.listed()).find(({ name }) => name === 'red-1')?.id ?? '';
            await visit(page, `/app/agents/${session}`);
            await app
                .items('message')
                .first()
                .getByRole('link', { name: 'What this message led to' })
                .click();
            const tasks = page.getByRole('region', { name: 'Tasks' });
            await expect(tasks).toContainText('red task-0001');
            await expect(tasks).toContainText('in progress');
            await expect(page.getByRole('main').locator('dl')).toContainText('1.2K');
            await expectAccessible(page);
            await tasks.getByRole('link', { name: 'Parse it' }).click();
            await expect(page.getByRole('dialog', { name: 'task-0001' })).toContainText('Parse it');
        });

        test('threads of a team open, and so does the result of a task', async ({ app, daemon }) => {
            test.slow();
            await worked(daemon);
            const { page } = app;
            await visit(page, '/app/teams/red?part=members');
            const row = page.locator('[data-thread]').first();
            await expect(row).toContainText('thread-0001');
            await row.getByRole('link').click();
            await expect(page).toHaveURL(/\/app\/threads\/[0-9a-f-]+$/);
            const message = page.locator('li[data-kind="message"]').last();
            await expect(message).toContainText('parsed');

            // A task that names this message as its result.
            const thread = new URL(page.url()).pathname.split('/').at(-1) ?? '';
            const headers = {
                Authorization: `Bearer ${await daemon.secret()}`,
                'Content-Type': 'application/json',
            };
            const events = await fetch(`${daemon.url}/api/threads/${thread}/events?limit=100`, { headers });
            const { events: all } = (await events.json()) as { events: { id: string; type: string }[] };
            const said = all.filter(({ type }) => type === 'message').at(-1)?.id ?? '';
            await daemon.paseo('task', 'create', 'Tell it', '--team', 'red');
            await daemon.paseo('task', 'claim', 'task-0002', '--team', 'red');
            const done = await fetch(`${daemon.url}/api/teams/red/tasks/task-0002/complete`, {
                method: 'POST',
                headers,
                body: JSON.stringify({ epoch: 1, message: { thread: 'thread-0001', id: said } }),
            });
            expect(done.ok, await done.text()).toBe(true);
            await visit(page, '/app/teams/red?task=task-0002');
            await page.getByRole('link', { name: 'Message in thread-0001' }).click();
            await expect(page).toHaveURL(new RegExp(`/app/threads/${thread}\\?message=${said}`));
            await expect(message).toBeInViewport();
        });
    });

test.describe('the map', () => {
    test.use(DESK);

    test('threads of five agents that talk are links, and arrows lead to them', async ({ app, daemon }) => {
        test.slow();
        await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
        const { page } = app;
        const thread = new ThreadPage(page);
        await page.getByRole('link', { name: 'Threads', exact: true }).click();
        const id = await thread.create('planning', daemon.work);
        await thread.invite({ id: 'scripted' });
        await thread.send('@scripted <<say planned>>');
        await expect(thread.messages.filter({ hasText: 'planned' }).last()).toBeVisible();
        // Each writes to the one before it.
        const handles: string[] = [];
        for (let at = 1; at <= 4; at++) {
            const before = handles.at(-1);
            const send = before ? tool('send_to_tab', { tab_id: before, message: 'hello' }) : '';
            handles.push(await daemon.agent(`agent ${at}`, `${send}<<say ready>>`));
            await expect.poll(async () => (await daemon.inspect(handles.at(-1)!)).status).toBe('idle');
        }
        await visit(page, '/app/map?all=1');
        await expect(page.locator('[data-node]')).toHaveCount(6);
        await expect(page.locator('[data-edge^="talk"]')).toHaveCount(3);
        await expect(page.locator('[data-edge^="post"]')).toHaveCount(1);
        const node = page.locator(`[data-node="${id}"]`).getByRole('link');
        await expect(node).toContainText('planning');
        await expectAccessible(page);
        await page.locator('[data-node] a').first().focus();
        await expect(async () => {
            await page.keyboard.press('ArrowDown');
            await expect(node).toBeFocused({ timeout: 200 });
        }).toPass();
        await page.keyboard.press('ArrowUp');
        await expect(node).not.toBeFocused();
        await node.click();
        await expect(page.getByRole('heading', { level: 1, name: 'planning' })).toBeVisible();

        // What was deleted leads nowhere.
        await visit(page, '/app/map?all=1');
        await daemon.paseo('thread', 'rm', id, '--force');
        await expect(page.locator('[data-node]').filter({ hasText: 'agent 1' })).toBeVisible();
        await expect(page.locator(`[data-node="${id}"] a`)).toHaveCount(0);
    });

    test('a hundred agents that all talk to the next are drawn without standing on each other', async ({
        app,
        daemon,
    }) => {
        test.slow();
        await Promise.all(
            Array.from({ length: 4 }, async (_, lane) => {
                for (let at = 0; at < 25; at++)
                    await daemon.create({ name: `agent ${lane}-${at}`, labels: { ui: 'true' } });
            }),
        );
        const { page } = app;
        // A hundred real conversations would take minutes: the agents are real, and who talks to whom is made up.
        await page.route('**/api/map*', async (route) => {
            const headers = { Authorization: `Bearer ${await daemon.secret()}` };
            const answer = await fetch(`${daemon.url}/api/map?all=true`, { headers });
            const view = (await answer.json()) as {
                agents: { session: string }[];
                links: object[];
                at: string;
            };
            view.links = view.agents.map(({ session }, at) => ({
                from: session,
                to: view.agents[(at + 1) % view.agents.length]?.session,
                messages: (at % 5) + 1,
                answers: 0,
                spawns: 0,
                last_at: view.at,
            }));
            await route.fulfill({ json: view });
        });
        await visit(page, '/app/map?all=1');
        await expect(page.locator('[data-node]')).toHaveCount(100);
        await expect(page.locator('[data-edge^="talk"]')).toHaveCount(100);
        const hit = await page.locator('[data-node]').evaluateAll((nodes) => {
            const boxes = nodes.map((node) => node.getBoundingClientRect());
            return boxes.some((one, at) =>
                boxes
                    .slice(at + 1)
                    .some(
                        (other) =>
                            one.left < other.right &&
                            other.left < one.right &&
                            one.top < other.bottom &&
                            other.top < one.bottom,
                    ),
            );
        });
        expect(hit, 'nobody stands on another').toBe(false);
        await expectAccessible(page);
    });
});
