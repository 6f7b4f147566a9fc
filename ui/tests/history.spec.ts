import { expect, expectAccessible, test } from './app';
import { History, HOSTILE, writes } from './history';
import { Member, team, TeamPage } from './teams';
import { PHONE } from './threads';

const DESK = { viewport: { width: 1440, height: 900 } };
const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|503/;

for (const [form, screen] of [
    ['phone', PHONE],
    ['desktop', DESK],
] as const)
    test.describe(`on a ${form}`, () => {
        test.use(screen);

        test('a team is shown as it was, and nothing can be changed there', async ({
            app,
            daemon,
            complaints,
        }) => {
            // A time before the team was created is not found.
            complaints.allow(/404/);
            const { page } = app;
            await team(daemon, 'red', [{ title: HOSTILE }, { title: 'Second', deps: ['task-0001'] }]);
            const ann = await Member.of(daemon, 'red', 'ann');
            const epoch = await ann.claim('task-0001');
            await ann.complete('task-0001', epoch);
            const board = new TeamPage(app);
            await board.open('red');
            await board.expectIn('Done', 1);
            const written = writes(page);
            const history = new History(page);
            await history.open();

            // 1 created, 2 and 3 tasks, 4 ann, 5 claimed, 6 completed.
            await history.step('Previous');
            await history.expectAt(5);
            await expect(history.controls).toContainText('Ann claimed task-0001');
            await board.expectIn('In progress', 1);
            await board.expectIn('Blocked', 1);
            // The lease is what was left of it then, and does not run.
            await board.choose('In progress');
            const lease = board.card('task-0001').locator('time');
            await expect(lease).toHaveText(/5:00$/);
            await expect(board.card('task-0001')).toContainText('\\u{202e}gnp.exe');
            await expect(page.locator('main img')).toHaveCount(0);

            await expect(page.getByRole('button', { name: /New task|Actions for|Remove/ })).toHaveCount(0);
            await expect(board.card('task-0001')).toHaveAttribute('draggable', 'false');
            await board.card('task-0001').locator('[data-open]').click();
            const sheet = page.getByRole('dialog', { name: 'task-0001' });
            await expect(sheet).toContainText('in progress');
            await expect(sheet.getByRole('button', { name: /Edit|Actions/ })).toHaveCount(0);
            await expectAccessible(page);
            // What closes the sheet leaves the page where it is.
            await page.keyboard.press('Escape');
            await expect(sheet).toHaveCount(0);
            await history.expectAt(5);
            for (const key of ['n', 'm', 'Shift+ArrowRight']) await page.keyboard.press(key);
            await expect(page.getByRole('dialog')).toHaveCount(0);
            await expect(page.getByRole('menu')).toHaveCount(0);

            await history.slider.focus();
            await page.keyboard.press('ArrowLeft');
            await history.expectAt(4);
            await page.keyboard.press('Home');
            await history.expectAt(1);
            await expect(history.controls).toContainText('You created the team');
            await expect(page.locator('[data-task]')).toHaveCount(0);
            await expect(page.locator('[data-member]')).toHaveCount(0);
            await page.keyboard.press('Escape');
            await history.expectNow();
            await board.expectIn('Done', 1);

            // Elsewhere on the page, Escape does the same, and leaves the page only from the present.
            await history.goTo(3);
            await page.getByRole('heading', { level: 1 }).focus();
            await page.keyboard.press('Escape');
            await history.expectNow();
            await expect(page).toHaveURL(/\/app\/teams\/red$/);

            await history.enter(new Date(Date.now() - 3_600_000));
            await expect(history.controls.getByRole('alert')).toContainText('did not exist');
            await history.enter(new Date());
            await history.expectNow();

            await history.goTo(4);
            await history.showSince();
            await expect(history.since).toHaveText([
                /Ann claimed task-0001/,
                /completed task-0001/,
                /unblocked/,
            ]);
            await expectAccessible(page);
            // What happens meanwhile joins the list, and the page stays where it is.
            await ann.claim('task-0002');
            await expect(history.since).toHaveCount(4);
            await expect(history.since.last()).toContainText('Ann claimed task-0002');
            await expect(history.controls).toContainText('event 4 of 7');
            await expect(history.controls).toContainText('Since then: 3 events');
            await history.since.first().getByRole('button').click();
            await history.expectAt(5);
            await board.choose('In progress');
            await expect(lease).toHaveText(/5:00$/);
            await history.back.click();
            await history.expectNow();
            await board.expectIn('In progress', 1);
            await expect(board.card('task-0002')).toBeVisible();
            expect(written).toEqual([]);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            expect(wide, 'nothing sticks out').toBe(false);
        });
    });

test('the past stays on the screen while the daemon is killed, and goes on afterwards', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(GONE);
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'First' }, { title: 'Second' }]);
    const board = new TeamPage(app);
    await board.open('red');
    const history = new History(page);
    await page.keyboard.press('h');
    await expect(history.slider).toBeFocused();
    await history.goTo(2);
    await history.showSince();
    await expect(history.since).toHaveCount(1);
    await daemon.kill(async () => {
        await expect(page.getByText('No connection to the daemon')).toBeVisible();
        await expect(board.column('Ready').locator('[data-task]')).toHaveCount(1);
        await history.step('Previous');
        await expect(history.controls.getByRole('alert')).toBeVisible();
        await history.expectAt(2);
    });
    await expect(page.getByText('No connection to the daemon')).toHaveCount(0);
    await history.step('Previous');
    await history.expectAt(1);
    await expect(history.controls.getByRole('alert')).toHaveCount(0);
    await expect(page.locator('[data-task]')).toHaveCount(0);
    await expect(history.since).toHaveCount(2);
    await daemon.paseo('task', 'create', 'Third', '--team', 'red');
    await expect(history.since).toHaveCount(3);
    await history.back.click();
    await board.expectIn('Ready', 3);
});

test('threads and what a guard refused are shown as they were', async ({ app, daemon }) => {
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'First', resources: ['src'] }]);
    const version = async () => (await daemon.api<{ team: { version: number } }>('/teams/red')).team.version;
    const member = page.locator('[data-member="ann"]');
    const refused = 'Refused to run commands';
    await new TeamPage(app).open('red');
    const flags = ['--team', 'red', '--member', 'ann', '--guard', 'lease'];
    const ann = await daemon.paseo('run', '-d', ...flags, '<<say hello>>');
    await expect(member).toContainText('idle');
    const before = await version();
    await daemon.paseo('send', ann, '<<sh touch made>>');
    await expect(member).toContainText(refused);
    const after = await version();
    expect(after).toBeGreaterThan(before);

    const thread = page.locator('[data-thread]');
    const start = ['worker', 'start', '<<say ready>>', '--team', 'red', '--provider', 'scripted'];
    await daemon.paseo(...start, '--title', 'Results');
    await expect(thread).toContainText('Results');
    // Its task and its result.
    await expect(thread).toContainText('2 messages');
    const { threads } = await daemon.api<{ threads: { id: string }[] }>('/threads');
    const id = threads[0]?.id ?? '';
    const started = await version();
    const say = async (text: string) => {
        await daemon.api(`/threads/${id}/messages`, { text, to: 'user' });
        // An event of the team after the message.
        await daemon.paseo('task', 'create', text, '--team', 'red');
        return version();
    };
    const said = await say('one');
    await say('two');
    await expect(thread).toContainText('4 messages');

    const history = new History(page);
    await history.open();
    await history.goTo(said);
    await expect(thread).toContainText('3 messages');
    await history.goTo(started);
    await expect(thread).toContainText('0 messages');
    await expect(member).toContainText(refused);
    await expect(member.getByRole('button')).toHaveCount(0);
    await history.goTo(after);
    await expect(thread).toHaveCount(0);
    await expect(member).toContainText(refused);
    await history.goTo(before);
    await expect(member).toContainText('ann');
    await expect(member).not.toContainText('Refused');
    await expectAccessible(page);
});
