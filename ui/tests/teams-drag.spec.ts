import { expect, expectAccessible, test } from './app';
import { team, TeamPage } from './teams';

const DESK = { viewport: { width: 1440, height: 900 } };

test('a task is given to a member by drag, and taken from another', async ({ app, daemon }) => {
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }, { title: 'two', deps: ['task-0001'] }]);
    for (const member of ['ann', 'bob']) await daemon.paseo('team', 'env', 'red', '--agent', member);
    const board = new TeamPage(app);
    await board.open('red');
    const member = (name: string) => page.locator(`[data-member="${name}"]`);
    await board.card('task-0001').dragTo(member('ann'));
    await expect(board.column('In progress')).toContainText('ann');
    await expect(member('ann')).toContainText('task-0001');
    await board.card('task-0001').dragTo(member('bob'));
    await expect(member('bob')).toContainText('task-0001');
    await expect(member('ann')).not.toContainText('task-0001');
    await expect(board.card('task-0001')).toContainText('epoch 2');
    await board.card('task-0002').dragTo(member('ann'));
    await expect(page.getByRole('alert')).toContainText('task-0002 is blocked');
    // The keyboard does the same.
    await board.card('task-0001').locator('[data-open]').focus();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Assign to…' }).press('Enter');
    await page.getByRole('menuitemradio', { name: 'ann' }).press('Enter');
    await expect(member('ann')).toContainText('task-0001');
});

test('a task that is dropped on another one depends on it, or no longer does', async ({ app, daemon }) => {
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await team(daemon, 'red', [{ title: 'one' }, { title: 'two' }]);
    const board = new TeamPage(app);
    await board.open('red');
    const [one, two] = [board.card('task-0001'), board.card('task-0002')];
    const choose = (name: string) => page.getByRole('menuitem', { name, exact: true });
    await two.dragTo(one);
    await expect(page.getByRole('menuitem')).toHaveCount(2);
    await expectAccessible(page);
    await choose('task-0002 depends on task-0001').press('Enter');
    await expect(board.column('Blocked')).toContainText('two');
    await two.dragTo(one);
    await expect(choose('Move to Ready')).toBeVisible();
    await choose('task-0002 no longer depends on task-0001').press('Enter');
    await expect(board.column('Ready')).toContainText('two');

    // A full column takes what is dropped on its cards.
    await daemon.paseo('task', 'claim', 'task-0001', '--team', 'red');
    await expect(board.column('In progress')).toContainText('one');
    await two.dragTo(one);
    await choose('Move to In progress').press('Enter');
    await page.getByRole('menuitemradio', { name: 'You' }).press('Enter');
    await expect(board.column('In progress')).toContainText('two');

    // By keyboard, dependencies are changed in the form.
    await daemon.paseo('task', 'create', 'Three', '--team', 'red');
    await expect(board.card('task-0003')).toBeVisible();
    await board.card('task-0003').locator('[data-open]').focus();
    await page.keyboard.press('m');
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Edit task-0003' });
    await form.getByLabel(/^Depends on/).fill('task-0001');
    await form.getByLabel(/^Depends on/).press('Enter');
    await form.getByRole('button', { name: 'Save' }).press('Enter');
    await expect(board.column('Blocked')).toContainText('Three');
});
