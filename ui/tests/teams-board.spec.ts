import { expect, test } from './app';
import { team, TeamPage } from './teams';

const DESK = { viewport: { width: 1440, height: 900 } };

test('a task is moved by drag, and a move that is none is refused with the reason', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/403/);
    await app.page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }, { title: 'two', deps: ['task-0001'] }]);
    await daemon.paseo('team', 'env', 'red', '--agent', 'ann');
    const board = new TeamPage(app);
    await board.open('red');
    await board.card('task-0001').dragTo(board.column('In progress'));
    await app.page.getByRole('menuitemradio', { name: 'ann' }).click();
    await expect(board.column('In progress')).toContainText('ann');
    await expect(board.card('task-0001')).toContainText('epoch 1');

    await board.card('task-0001').dragTo(board.column('Done'));
    await expect(app.page.getByRole('alert')).toContainText('task-0001 is owned by ann, not you');
    await board.card('task-0001').dragTo(board.column('Ready'));
    await expect(board.column('Ready')).toContainText('one');
    await board.card('task-0002').dragTo(board.column('Ready'));
    await expect(app.page.getByRole('alert')).toContainText(
        'task-0002 is blocked: task-0001 is not completed',
    );
    await board.card('task-0001').dragTo(board.column('Failed'));
    await app.page.getByRole('button', { name: /^Canceled/ }).click();
    await expect(board.column('Failed')).toContainText('canceled');
    await board.card('task-0001').dragTo(board.column('Ready'));
    await expect(board.column('Ready')).toContainText('one');
});

test('a board is worked with the keyboard alone', async ({ app, daemon, complaints }) => {
    complaints.allow(/409/);
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [
        { title: 'one', resources: ['src'] },
        { title: 'two', resources: ['src/io'] },
    ]);
    const board = new TeamPage(app);
    await board.open('red');
    await expect(board.card('task-0001')).toContainText('Same files as task-0002');
    const title = (task: string) => board.card(task).locator('[data-open]');
    await title('task-0001').focus();
    await page.keyboard.press('ArrowDown');
    await expect(title('task-0002')).toBeFocused();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Claim' }).press('Enter');
    await expect(board.column('In progress').locator('[data-task="task-0002"]')).toContainText('you');
    await title('task-0001').focus();
    await page.keyboard.press('ArrowRight');
    await expect(title('task-0002')).toBeFocused();
    await page.keyboard.press('Shift+ArrowRight');
    await expect(board.column('Done')).toContainText('two');
    await title('task-0001').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByRole('menuitemradio', { name: 'You' }).press('Enter');
    await expect(board.column('In progress')).toContainText('one');

    await title('task-0001').press('Enter');
    const sheet = page.getByRole('dialog', { name: 'task-0001' });
    await sheet.getByRole('button', { name: 'Edit' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Edit task-0001' });
    await form.getByRole('textbox', { name: /^Title/ }).fill('one, clearer');
    await form.getByRole('textbox', { name: /^Resources/ }).fill('lib');
    await form.getByRole('button', { name: 'Save' }).press('Enter');
    await expect(form.getByRole('alert')).toContainText('only its title and description');
    await form.getByRole('textbox', { name: /^Resources/ }).fill('src');
    await form.getByRole('button', { name: 'Save' }).press('Enter');
    await expect(page.getByRole('dialog', { name: 'task-0001' })).toContainText('one, clearer');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);

    await page.keyboard.press('n');
    await expect(page.getByRole('dialog', { name: 'New task' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('dependencies are highlighted, and lead to their tasks', async ({ app, daemon }) => {
    await app.page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }, { title: 'two', deps: ['task-0001'] }]);
    const board = new TeamPage(app);
    await board.open('red');
    await board.card('task-0002').hover();
    await expect(board.card('task-0001')).toContainText('needed first');
    await expect(app.page.locator('main svg path.needs')).toHaveCount(1);
    await board.card('task-0001').hover();
    await expect(board.card('task-0002')).toContainText('waits for it');
    await board
        .card('task-0002')
        .getByRole('button', { name: /^task-0001/ })
        .click();
    await expect(board.card('task-0001').locator('[data-open]')).toBeFocused();
});

test('members are shown with their guard, and what it refused', async ({ app, daemon }) => {
    await app.page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one', resources: ['src'] }]);
    const board = new TeamPage(app);
    await board.open('red');
    const flags = ['--team', 'red', '--member', 'ann', '--guard', 'lease'];
    await daemon.paseo('run', '-d', ...flags, '<<sh touch made>><<say done>>');
    const member = app.page.locator('[data-member="ann"]');
    await expect(member).toContainText('guarded');
    await expect(member).toContainText('Refused to run commands');
    await expect(member).toContainText('ann owns no task whose resource is');
    await expect(member).toContainText('idle');
    await member.getByRole('link').click();
    await expect(app.page).toHaveURL(/\/app\/agents\//);
    await app.page.goBack();
    await member.getByRole('button', { name: 'Remove ann' }).click();
    const dialog = app.page.getByRole('dialog');
    await expect(dialog.getByRole('button', { name: 'Remove' })).toHaveAttribute('aria-disabled', 'false');
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await expect(member).toHaveCount(0);
});

test('a leader is started with all options of a new agent, and a team is closed', async ({ app, daemon }) => {
    const { page } = app;
    await team(daemon, 'red', []);
    await new TeamPage(app).open('red');
    await page.getByRole('button', { name: 'Actions for the team' }).click();
    await page.getByRole('menuitem', { name: 'Start a leader' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'New agent' })).toBeVisible();
    await expect(page.getByRole('button', { name: /red \(leader\)/ })).toBeVisible();
    await page.getByRole('textbox', { name: 'What should it do?' }).fill('<<say I lead>>');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(page).toHaveURL(/\/app\/agents\/[0-9a-f-]+$/);
    await new TeamPage(app).open('red');
    await page
        .getByRole('group', { name: 'Parts of the page' })
        .getByRole('button', { name: /^Members/ })
        .click();
    await expect(page.locator('[data-member]')).toContainText('leader');
    await page.getByRole('button', { name: 'Actions for the team' }).click();
    await page.getByRole('menuitem', { name: 'Close the team' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Close the team' });
    await expect(confirm).toHaveAttribute('aria-disabled', 'false');
    await confirm.click();
    await expect(page.getByRole('button', { name: 'New task' })).toHaveCount(0);
    await page.goto(new URL('/app/teams', page.url()).href);
    await page.getByRole('button', { name: /^Closed/ }).click();
    await expect(page.getByRole('list', { name: 'Teams' })).toContainText('closed');
});

test('a worker is started in a terminal with the options of the command line', async ({
    app,
    daemon,
    complaints,
}) => {
    // A worker is a member before its agent is there, so the page may ask for that too early.
    complaints.allow(/40[04]/);
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', []);
    await new TeamPage(app).open('red');
    await page.getByRole('button', { name: 'Actions for the team' }).click();
    await page.getByRole('menuitem', { name: 'Start a worker in a terminal' }).click();
    const form = page.getByRole('dialog', { name: 'Start a worker' });
    await form.getByRole('textbox', { name: /^Task/ }).fill('<<say hello>>');
    await form.getByRole('textbox', { name: /^Prefix/ }).fill('NO GOOD');
    await form.getByRole('button', { name: 'Start worker' }).click();
    await expect(form.getByRole('alert')).toContainText('invalid worker name prefix');
    await form.getByRole('textbox', { name: /^Prefix/ }).fill('crew');
    await form.getByRole('textbox', { name: /^Title/ }).fill('Results of the crew');
    const sent = page.waitForRequest(
        (request) => request.url().endsWith('/api/workers') && request.method() === 'POST',
    );
    await form.getByRole('button', { name: 'Start worker' }).click();
    expect((await sent).postDataJSON()).toEqual({
        task: '<<say hello>>',
        team: 'red',
        worktree: false,
        guard: false,
        title: 'Results of the crew',
        prefix: 'crew',
    });
});

test('a lease counts down by the clock of the daemon, whatever the browser believes', async ({
    app,
    daemon,
}) => {
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }]);
    await daemon.paseo('task', 'claim', 'task-0001', '--team', 'red');
    // This browser is an hour ahead.
    await page.addInitScript(() => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + 3_600_000;
    });
    const board = new TeamPage(app);
    await board.open('red');
    const left = board.card('task-0001').locator('time');
    await expect(left).toHaveText(/(5:00|4:\d\d)$/);
    const first = await left.innerText();
    await expect(left).not.toHaveText(first, { useInnerText: true });
    await expect(left).toHaveText(/4:\d\d$/);
});
