import { expect, test } from './app';
import { team, TeamPage } from './teams';

const DESK = { viewport: { width: 1440, height: 900 } };

test('all that a menu offers is done, and the other browser sees it', async ({ app, another, daemon }) => {
    test.slow();
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }, { title: 'two', deps: ['task-0001'] }, { title: 'three' }]);
    await daemon.paseo('team', 'env', 'red', '--agent', 'ann');
    const [board, theirs] = [new TeamPage(app), new TeamPage(await another(DESK))];
    for (const each of [board, theirs]) await each.open('red');
    const expectIn = async (column: string, task: string, text = '') => {
        for (const each of [board, theirs])
            await expect(each.column(column).locator(`[data-task="${task}"]`)).toContainText(text);
    };
    await board.assign('task-0001', 'ann');
    await expectIn('In progress', 'task-0001', 'ann');
    await board.assign('task-0001', 'You');
    await expectIn('In progress', 'task-0001', 'you');
    await expectIn('In progress', 'task-0001', 'epoch 2');
    await board.act('task-0001', 'Renew the lease');
    await board.act('task-0001', 'Release');
    await expectIn('Ready', 'task-0001');
    await board.assign('task-0001', 'ann');
    await expectIn('In progress', 'task-0001', 'ann');
    // From another it is taken.
    await board.act('task-0001', 'Release');
    await expectIn('Ready', 'task-0001');
    await board.act('task-0001', 'Claim for yourself');
    await expectIn('In progress', 'task-0001', 'you');
    await board.act('task-0001', 'Mark as failed');
    await expectIn('Failed', 'task-0001');
    await board.act('task-0001', 'Reopen');
    await expectIn('Ready', 'task-0001');

    await expectIn('Blocked', 'task-0002');
    await board.act('task-0002', 'Edit');
    const form = page.getByRole('dialog', { name: 'Edit task-0002' });
    await form.getByRole('button', { name: 'Remove task-0001' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await expectIn('Ready', 'task-0002');
    await board.act('task-0002', 'Edit');
    await form.getByLabel(/^Depends on/).fill('task-0003');
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.keyboard.press('Escape');
    await expectIn('Blocked', 'task-0002', 'task-0003');
    await board.act('task-0003', 'Cancel the task');
    for (const each of [board, theirs]) await expect(each.card('task-0003')).toHaveCount(0);

    const trail = JSON.parse(await daemon.paseo('team', 'audit', 'red', '--json')) as {
        notices: { type: string; task: string | null }[];
    };
    const done = trail.notices.filter(({ task }) => task === 'task-0001').map(({ type }) => type);
    for (const type of ['task_assigned', 'task_renewed', 'task_released', 'task_claimed', 'task_failed'])
        expect(done).toContain(type);
});

test('dependencies are drawn at rest, and stronger for the card that is pointed at', async ({
    app,
    daemon,
}) => {
    await app.page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [
        { title: 'one' },
        { title: 'two', deps: ['task-0001'] },
        { title: 'three' },
        { title: 'four', deps: ['task-0003'] },
    ]);
    const board = new TeamPage(app);
    await board.open('red');
    const lines = (look: string) => app.page.locator(`main svg path.${look}`);
    await expect(lines('rest')).toHaveCount(2);
    await board.card('task-0002').hover();
    await expect(lines('needs')).toHaveCount(1);
    await expect(lines('rest')).toHaveCount(1);
    const width = (look: string) =>
        lines(look).evaluate((line) => parseFloat(getComputedStyle(line).strokeWidth));
    expect(await width('needs')).toBeGreaterThan(await width('rest'));
    await app.page.mouse.move(0, 0);
    await expect(lines('rest')).toHaveCount(2);
    // Each says which of the two waits, and passes behind cards.
    for (const line of await lines('rest').all())
        await expect(line).toHaveAttribute('marker-end', /^url\(#.*-rest\)$/);
    const inFront = await board.card('task-0001').evaluate((card) => {
        const lines = document.querySelector<SVGElement>('main svg:has(path.rest)');
        if (!lines) return 'there are no lines';
        lines.style.pointerEvents = 'all';
        lines.querySelectorAll('path').forEach((path) => (path.style.pointerEvents = 'all'));
        const { left, top, width, height } = card.getBoundingClientRect();
        return card.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    });
    expect(inFront).toBe(true);
});

test('a phone shows the first column with tasks', async ({ app, daemon }) => {
    await app.page.setViewportSize({ width: 390, height: 844 });
    await team(daemon, 'red', [{ title: 'one' }]);
    await daemon.paseo('task', 'claim', 'task-0001', '--team', 'red');
    const board = new TeamPage(app);
    await board.open('red');
    await expect(board.card('task-0001')).toBeVisible();
    await expect(board.column('Ready')).toBeHidden();
});
