import { expect, gate, sharing } from './app';
import { Daemon } from './daemon';
import { expectHarmless, goTo, SCREENS } from './harmless';
import { History } from './history';
import { Bridge, ThreadPage } from './threads';
import { EVIL, NAME, scripted, THREAD, TRICKS } from './tricks';

/** Agents, people and programs that say and do hostile things together. */
async function seedTogether(daemon: Daemon): Promise<void> {
    await daemon.paseo('team', 'create', 'odd', '--agent', 'ann');
    const task = ['task', 'create', NAME, '--description', EVIL, '--resource', `x\u202e${'W'.repeat(200)}`];
    await daemon.paseo(...task);
    await daemon.paseo('task', 'create', NAME, '--dep', 'task-0001', '--resource', '.');
    await daemon.paseo('task', 'create', NAME);
    await daemon.paseo('task', 'claim', 'task-0003');
    await daemon.paseo('task', 'fail', 'task-0003', '--summary', EVIL);
    const guarded = [
        'run',
        '-d',
        '--ui',
        '--title',
        NAME,
        '--team',
        'odd',
        '--member',
        'ben',
        '--guard',
        'lease',
    ];
    const plan = `<<tool team_tasks_create ${JSON.stringify({ title: NAME }).replaceAll('>', '\\u003e')}>>`;
    await daemon.paseo(...guarded, `${plan}<<sh touch made>><<say ${scripted(EVIL)}>>`);
    await daemon.paseo('worker', 'start', '<<say ready>>', '--team', 'odd', '--provider', 'scripted');
    await expect.poll(() => daemon.paseo('worker', 'capture', 'odd-1').catch(() => '')).toContain('ready');
    await daemon.print('odd-1', '%s\\n', `"${EVIL.replaceAll(/["$`\\!]/g, '')}"`);

    await daemon.paseo('thread', 'new', THREAD);
    const ids = ['a'.repeat(30), 'muted'];
    await daemon.paseo('thread', 'invite', THREAD, 'scripted', '--id', ids[0]!, '--nickname', 'Odd');
    await daemon.paseo('thread', 'invite', THREAD, 'scripted', '--id', 'muted', '--role', 'planner');
    await daemon.paseo('thread', 'post', THREAD, `@Odd <<fail ${scripted(EVIL)}>>`);
    await daemon.paseo('thread', 'post', THREAD, `@muted ${gate('go')}<<say ${scripted(EVIL)}>>`);
    await daemon.paseo('thread', 'mute', THREAD, 'muted');
    await daemon.touch('go');
}

/** Returns the thread that is not one of the team. */
async function threadOf(daemon: Daemon): Promise<string> {
    const { threads } = await daemon.api<{ threads: { id: string; name: string }[] }>('/threads');
    return threads.find(({ name }) => name === THREAD)?.id ?? '';
}

/** A directory may be called anything but a slash. */
const test = sharing(seedTogether).extend<object, { world: Daemon }>({
    world: [
        async ({}, use) => {
            const daemon = await Daemon.start('od\u202ed <b>');
            await seedTogether(daemon);
            await use(daemon);
            await daemon.stop();
        },
        { scope: 'worker', timeout: 120_000 },
    ],
});
test.describe.configure({ mode: 'default' });

for (const [what, screen] of SCREENS)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('hostile text in a team', async ({ app, daemon }) => {
            test.slow();
            const { page } = app;
            // What a guard refuses has the words of agents of all kinds, of which a script can make few.
            await page.route(/\/api\/teams\/odd(\/refusals.*)?$/, async (route) => {
                const { pathname, search } = new URL(route.request().url());
                const real = JSON.stringify(await daemon.api(pathname.replace(/^\/api/, '') + search));
                const told = JSON.stringify(`write to \`${EVIL}\``);
                const body = real.replaceAll(/"(what|why)":"[^"]*"/g, (_, name) => `"${name}":${told}`);
                await route.fulfill({ contentType: 'application/json', body });
            });
            await goTo(app, '/app/teams/odd?part=members');
            const guarded = page.locator('[data-member="ben"]');
            await expect(guarded).toContainText('Refused to write to');
            await guarded.getByRole('button', { name: 'All recent refusals' }).click();
            await expect(guarded).toContainText('\\u{202e}');
            await expectHarmless(page, 'the members of a team');
            await guarded.getByRole('button', { name: 'Remove ben' }).click();
            await expect(page.getByRole('dialog')).toBeVisible();
            await expectHarmless(page, 'the question before a member is removed');
            await page.keyboard.press('Escape');
            await page.getByRole('button', { name: 'Audit trail' }).click();
            const trail = page.getByRole('dialog', { name: 'Audit trail' });
            await expect(trail.getByRole('listitem').last()).toContainText('created the team');
            await expectHarmless(page, 'the audit trail');
            await page.keyboard.press('Escape');
            for (const task of ['task-0001', 'task-0003']) {
                await goTo(app, `/app/teams/odd?task=${task}`);
                const sheet = page.getByRole('dialog', { name: task });
                await expect(sheet).toContainText('\\u{202e}');
                await expectHarmless(page, `the sheet of ${task}`);
            }
            await goTo(app, '/app/teams/odd?task=task-0001');
            await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
            await expectHarmless(page, 'the form of a task');
            await goTo(app, '/app/teams/odd');
            await page.getByRole('button', { name: 'New task' }).click();
            const form = page.getByRole('dialog', { name: 'New task' });
            await form.getByLabel(/^Depends on/).fill(NAME.slice(0, 8));
            await expectHarmless(page, 'the choice of dependencies');
        });

        test('hostile text in the history of a team', async ({ app }) => {
            const { page } = app;
            await goTo(app, '/app/teams/odd');
            const history = new History(page);
            await history.open();
            await history.goTo(4);
            await expectHarmless(page, 'a team as it was');
            await history.showSince();
            await expect(history.since.first()).toBeVisible();
            await expectHarmless(page, 'what happened in a team since then');
        });

        test('hostile text in the terminals of a team', async ({ app }) => {
            const { page } = app;
            await goTo(app, '/app/teams/odd?part=terminals');
            const terminal = page.getByRole('region', { name: 'Terminal of odd-1' });
            await expect(page.locator('.xterm-rows')).toContainText('[click](javascript:alert(3))');
            // What is hidden takes no cell, and is a stroke through the one before it.
            await expect(page.locator('.xterm-rows')).toContainText('invoice\u0338gnp.exe');
            await expectHarmless(page, 'the terminals of a team');
            for (const reading of ['History', 'Select text']) {
                await terminal.getByRole('button', { name: reading }).click();
                await expect(terminal).toContainText('\\u{202e}gnp.exe');
                await expectHarmless(page, `a terminal's ${reading}`);
                await terminal.getByRole('button', { name: reading }).click();
            }
        });

        test('hostile text in a thread: replies that are held, participants, sheets', async ({
            app,
            daemon,
            complaints,
        }) => {
            test.slow();
            // What is refused on purpose.
            complaints.allow(/400/);
            const { page } = app;
            const id = await threadOf(daemon);
            const thread = new ThreadPage(page);
            await thread.open(id);
            await expect(thread.held).toHaveCount(1);
            await expect(thread.held).toContainText('invoice\\u{202e}gnp.exe');
            await expectHarmless(page, 'a held reply');
            await thread.held.getByRole('button', { name: 'Show all' }).click();
            await expectHarmless(page, 'all of a held reply');
            await expect(page.locator('article.failed')).toContainText('invoice\\u{202e}gnp.exe');

            // Programs choose the words for what they do.
            const bridge = await Bridge.join(daemon, THREAD, 'guest');
            await bridge.present('W'.repeat(200), `${TRICKS.markup} ${TRICKS.link} ${TRICKS.endless}`);
            const people = await thread.people();
            await expect(people.locator('[data-participant="guest"]')).toBeVisible();
            await expectHarmless(page, 'the participants');
            await people.getByRole('button', { name: /^Actions for Odd/ }).click();
            await expect(page.getByRole('menu')).toBeVisible();
            await expectHarmless(page, 'the menu of a participant');
            await page.getByRole('menuitem', { name: 'Remove' }).click();
            await expectHarmless(page, 'the question before a participant is removed');
            await page.getByRole('dialog').last().getByRole('button', { name: 'Cancel' }).click();
            await thread.close();
            await page.getByRole('button', { name: 'Invite agent' }).first().click();
            const invite = page.getByRole('dialog', { name: 'Invite an agent' });
            await invite
                .getByRole('textbox', { name: /^Nickname/ })
                .fill(`${TRICKS.reversed}${TRICKS.endless}`);
            await invite.getByRole('button', { name: 'Invite agent' }).click();
            await expect(invite.getByRole('alert')).toContainText('invoice\\u{202e}gnp.exe');
            await expectHarmless(page, 'a refused invitation');
            await thread.close();
            await page.getByRole('button', { name: 'Actions for this thread' }).click();
            await page.getByRole('menuitem', { name: 'Token for an outside program' }).click();
            const token = page.getByRole('dialog', { name: 'Token for an outside program' });
            await token
                .getByRole('textbox', { name: 'Participant' })
                .fill(`${TRICKS.reversed}${TRICKS.endless}`);
            await token.getByRole('button', { name: 'Create token' }).click();
            await expect(token).toContainText('\\u{202e}');
            await expectHarmless(page, 'a refused token');
            await thread.close();
            await page.getByRole('button', { name: 'Actions for this thread' }).click();
            await page.getByRole('menuitem', { name: 'Delete' }).click();
            await expect(page.getByRole('dialog')).toBeVisible();
            await expectHarmless(page, 'the question before a thread is deleted');
        });

        test('hostile text in the history of a thread', async ({ app, daemon }) => {
            const { page } = app;
            await new ThreadPage(page).open(await threadOf(daemon));
            const history = new History(page);
            await history.open();
            await history.goTo(4);
            await expectHarmless(page, 'a thread as it was');
            await history.showSince();
            await expect(history.since.first()).toBeVisible();
            await expectHarmless(page, 'what happened in a thread since then');
        });

        test('hostile text on the pages of requests', async ({ app, daemon }) => {
            const { page } = app;
            for (const [where, path] of [
                ['an agent', `/app/agents/${(await daemon.listed()).find(({ name }) => name === NAME)?.id}`],
                ['a thread', `/app/threads/${await threadOf(daemon)}`],
            ] as const) {
                await goTo(app, path);
                await page.getByRole('link', { name: 'What this message led to' }).first().click();
                await expect(page.getByRole('heading', { level: 1, name: 'Request' })).toBeVisible();
                await expect(page.locator('blockquote')).toContainText('invoice\\u{202e}gnp.exe');
                await expect(page.locator('[data-cause-agent]')).toHaveCount(1);
                await page
                    .locator('[data-cause-agent] button[aria-expanded="false"]')
                    .evaluateAll((folds) => folds.forEach((fold) => (fold as HTMLElement).click()));
                await expect(page.locator('[data-delivery]').first()).toBeVisible();
                if (where === 'an agent')
                    await expect(page.getByRole('region', { name: 'Tasks' })).toContainText('\\u{202e}gnp');
                await expectHarmless(page, `the request of ${where}`);
            }
        });
    });
