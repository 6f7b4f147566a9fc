import { expect, expectAccessible, test } from './app';
import { Member, team, TeamPage } from './teams';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESK = { viewport: { width: 1440, height: 900 } };

test('three members finish five dependent tasks in two browsers, while the daemon is killed twice', async ({
    app,
    another,
    daemon,
    complaints,
}) => {
    test.slow();
    complaints.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|503/);
    const { page } = app;
    await page.setViewportSize(DESK.viewport);
    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByRole('textbox', { name: /^Name/ }).fill('red');
    await page.getByRole('textbox', { name: /^Project directory/ }).fill(daemon.work);
    await page.getByRole('button', { name: 'Create team' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'red' })).toBeVisible();

    const phone = new TeamPage(await another(PHONE));
    await phone.open('red');
    const desk = new TeamPage(app);
    await desk.create('Plan it', [], 'docs');
    await desk.create('Write it', ['task-0001'], 'src');
    await desk.create('Test it', ['task-0002'], 'tests');
    await desk.create('Document it', ['task-0001'], 'docs');
    await desk.create('Ship it', ['task-0003', 'task-0004'], '.');
    for (const both of [desk, phone]) {
        await both.expectIn('Ready', 1);
        await both.expectIn('Blocked', 4);
    }

    const [ann, ben, cyd] = await Promise.all(
        ['ann', 'ben', 'cyd'].map((id) => Member.of(daemon, 'red', id)),
    );
    const first = await ann!.claim('task-0001');
    for (const both of [desk, phone]) {
        await both.expectIn('In progress', 1);
        await expect(both.card('task-0001')).toContainText('ann');
        await expect(both.card('task-0001').locator('time')).toHaveText(/4:5\d|5:00/);
    }
    await daemon.kill();
    await ann!.complete('task-0001', first);
    const [second, fourth] = await Promise.all([ben!.claim('task-0002'), cyd!.claim('task-0004')]);
    for (const both of [desk, phone]) await both.expectIn('In progress', 2);
    await daemon.kill();
    await Promise.all([ben!.complete('task-0002', second), cyd!.complete('task-0004', fourth)]);
    await ann!.complete('task-0003', await ann!.claim('task-0003'));
    await ben!.complete('task-0005', await ben!.claim('task-0005'));
    for (const both of [desk, phone]) {
        await both.expectIn('Done', 5);
        await expect(both.card('task-0005')).toContainText('ben');
        for (const column of ['Blocked', 'Ready', 'In progress']) await both.expectIn(column, 0);
    }

    await page.getByRole('button', { name: 'Audit trail' }).click();
    const trail = page.getByRole('dialog', { name: 'Audit trail' });
    await expect(trail.getByRole('listitem').first()).toContainText('completed task-0005');
    await expect(trail).toContainText('You created the team');
});

for (const [what, screen] of [
    ['phone', PHONE],
    ['desktop', DESK],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('axe finds nothing on the pages of teams', async ({ app, daemon }) => {
            const { page } = app;
            await team(daemon, 'red', [
                { title: 'one', resources: ['src'], description: 'All of it' },
                { title: 'two', resources: ['src/io'] },
                { title: 'three', deps: ['task-0001', 'task-0002'] },
            ]);
            await daemon.paseo('task', 'claim', 'task-0001', '--team', 'red');
            await daemon.paseo('run', '-d', '--team', 'red', '--guard', 'lease', '<<sh touch x>><<say hi>>');
            const board = new TeamPage(app);
            await page.goto(new URL('/app/teams', page.url()).href);
            await expect(page.getByRole('list', { name: 'Teams' })).toBeVisible();
            await expectAccessible(page);
            await board.open('red');
            await board.choose('In progress');
            await expect(board.card('task-0001')).toBeVisible();
            await expectAccessible(page);
            await page.goto(new URL('/app/teams/red?task=task-0001', page.url()).href);
            const sheet = page.getByRole('dialog', { name: 'task-0001' });
            await expect(sheet).toContainText('All of it');
            await expectAccessible(page);
            await sheet.getByRole('button', { name: 'Edit' }).click();
            await expectAccessible(page);
            await board.open('red');
            await page.getByRole('button', { name: 'Audit trail' }).click();
            await expect(page.getByRole('dialog')).toContainText('You created the team');
            await expectAccessible(page);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            expect(wide, 'nothing sticks out').toBe(false);
        });
    });
