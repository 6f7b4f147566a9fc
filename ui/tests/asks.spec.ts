import { expect, press, test } from './app';

test('what a command would do is shown exactly, and answered with words', async ({ app, daemon }) => {
    await daemon.paseo(
        'run',
        '-d',
        '--ui',
        '--title',
        'strict',
        '--permissions',
        'ask',
        '<<sh echo a\u202eb>>',
    );
    await app.open('strict');
    const ask = app.items('ask');
    // Words first; nothing in them is invisible. The exact text is below.
    await expect(ask.getByText('echo a\\u{202e}b', { exact: true })).toBeVisible();
    await expect(app.items('tool')).toContainText('waiting for you');
    await expect(ask.locator('pre')).toBeHidden();
    await ask.getByText('Exact request').click();
    await expect(ask.locator('pre')).toBeVisible();
    await expect(ask.locator('pre')).toContainText('"command": "echo a\\u202eb"');
    await ask.getByRole('textbox', { name: 'Message for the agent' }).fill('not here');
    await press(ask.getByRole('button', { name: 'Deny' }));
    await expect(ask).toContainText('Denied');
    await expect(app.items('tool')).toContainText('not here');
    await expect(ask.getByRole('button')).toHaveCount(0);
});

test('the list answers, too, and always means exactly this', async ({ app, daemon }) => {
    const strict = ['run', '-d', '--ui', '--permissions', 'ask'];
    await daemon.paseo(...strict, '--title', 'first', '<<sh echo one>><<say went on>>');
    await app.inbox();
    const card = app.page.getByRole('region', { name: 'first asks for permission' });
    await expect(card.locator('pre')).toContainText('"command": "echo one"');
    await expect(card).toContainText(`the command \`echo one\` in ${daemon.work}`);
    await card.getByRole('checkbox').check();
    await press(card.getByRole('button', { name: 'Always allow' }));
    await expect(card).toHaveCount(0);
    await app.agents();
    await expect(app.row('first')).toContainText('idle');

    // The same is not asked again, something else is.
    await daemon.paseo(...strict, '--title', 'same', '<<sh echo one>>');
    await expect(app.row('same')).toContainText('idle');
    await daemon.paseo(...strict, '--title', 'other', '<<sh echo one; echo two>>');
    await expect(app.row('other')).toContainText('asks you');
    const rules = JSON.parse(await daemon.paseo('permit', 'rules', '--json')) as { rules: unknown[] };
    expect(rules.rules).toHaveLength(1);
    // A question has no always.
    await daemon.agent('curious', '<<ask which?>>');
    await app.inbox();
    await expect(card).toHaveCount(0);
    const question = app.page.getByRole('region', { name: 'curious asks for permission' });
    await expect(question.locator('pre')).toHaveText('which?');
    await expect(question.getByRole('checkbox')).toHaveCount(0);
});

test('who asks comes first', async ({ app, daemon }) => {
    await daemon.agent('old', '<<ask first?>>');
    await expect(app.row('old')).toContainText('asks you');
    await daemon.agent('new', '<<say hi>>');
    await expect(app.row('new')).toContainText('idle');
    await expect(app.rows.first()).toContainText('old');
    await app.inbox();
    const card = app.page.getByRole('region', { name: 'old asks for permission' });
    await press(card.getByRole('button', { name: 'Allow' }));
    await expect(card).toHaveCount(0);
    await app.agents();
    await expect(app.rows.first()).toContainText('new');
});

test('the second of two devices is told kindly', async ({ app, daemon, another, complaints }) => {
    complaints.allow(/409/);
    const handle = await daemon.agent('shared', '<<ask now?>><<say on>>');
    await app.open('shared');
    const here = app.items('ask');
    await expect(here.getByRole('button', { name: 'Allow' })).toBeVisible();
    const other = await another();
    await other.open('shared');
    await expect(other.items('ask').getByRole('button', { name: 'Allow' })).toBeVisible();

    // The news does not reach this page before its own answer goes out.
    await app.page.route('**/api/stream*', (route) => route.abort());
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await app.page.route('**/permissions/*', async (route) => {
        await held;
        await route.continue();
    });
    await press(here.getByRole('button', { name: 'Deny' }));
    await press(other.items('ask').getByRole('button', { name: 'Allow' }));
    await expect(other.items('answer')).toHaveText(['on']);
    release();
    await expect(here).toContainText('Another person answered first');
    await expect(here.getByRole('alert')).toHaveCount(0);
    await app.page.unroute('**/api/stream*');
    await expect(here).toContainText('Allowed');
    expect(await daemon.inspect(handle)).toMatchObject({ status: 'idle' });
});

test('several things are asked at once, and each has its own answer', async ({ app, daemon }) => {
    await daemon.agent('busy', '<<asks push? | tag?>><<say on>>');
    await app.inbox();
    const cards = app.page.getByRole('region', { name: 'busy asks for permission' });
    await expect(cards.locator('pre')).toHaveText(['push?', 'tag?']);
    // The agent shows them, too.
    await app.agents();
    await app.open('busy');
    const asks = app.items('ask');
    await press(asks.nth(1).getByRole('button', { name: 'Deny' }));
    await expect(asks.nth(1)).toContainText('Denied');
    await expect(asks.nth(0).getByRole('button', { name: 'Allow' })).toBeVisible();
    await press(asks.nth(0).getByRole('button', { name: 'Allow' }));
    await expect(app.items('answer')).toHaveText(['on']);
});

test('a limit says until when', async ({ app, daemon }) => {
    await daemon.agent('eager', '<<say hm>><<limit 3600000>>');
    await app.open('eager');
    await expect(app.page.getByText(/Rate limit until \d\d:\d\d/)).toBeVisible();
});
