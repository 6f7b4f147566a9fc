import { expect, press, test } from './app';

test('a row at work without a step says what the agent said, without marks and with all that is hidden', async ({
    app,
    daemon,
}) => {
    await daemon.agent('busy', '<<say # Plan\n\n- **a\u202eb** in `src`>><<hang>>');
    await expect(app.row('busy')).toContainText('running');
    await expect(app.row('busy').locator('.work')).toHaveText('Plan a\\u{202e}b in src');
});

test('the list is live, who asks first, then the newest, and without background agents', async ({
    app,
    daemon,
}) => {
    await expect(app.page.getByText('No agents here yet.')).toBeVisible();
    await daemon.paseo('run', '-d', '--title', 'in the background', '<<hang>>');
    await daemon.agent('first', '<<say done>>');
    await daemon.agent('second', '<<ask May I?>>');
    await expect(app.rows).toContainText(['second', 'first']);
    await expect(app.row('first')).toContainText('idle');
    await expect(app.row('second')).toContainText('asks you');
    await expect(app.page).toHaveTitle('(1) Agents · Paseo');
    await expect(app.rows).toHaveCount(2);

    const handle = await daemon.agent('third', '<<hang>>');
    await expect(app.rows).toContainText(['second', 'third', 'first']);
    await daemon.paseo('send', handle, 'later');
    await expect(app.row('third')).toContainText('1 queued');
    await daemon.paseo('rename', handle, 'renamed');
    await expect(app.row('renamed')).toContainText('running');
    await daemon.paseo('stop', handle);
    await daemon.paseo('close', handle);
    await expect(app.rows).toHaveCount(2);
    await expect(app.page.getByText('in the background')).toHaveCount(0);

    // Leaving the list is live, too.
    const deleted = await daemon.agent('deleted', '<<say done>>');
    await expect(app.row('deleted')).toContainText('idle');
    await daemon.paseo('rm', deleted);
    await expect(app.row('deleted')).toHaveCount(0);
    const hidden = await daemon.agent('hidden', '<<say done>>');
    await expect(app.row('hidden')).toContainText('idle');
    await daemon.paseo('label', hidden, 'ui-');
    await expect(app.row('hidden')).toHaveCount(0);
});

test('a turn is watched as it happens', async ({ app, daemon }) => {
    await daemon.agent('worker', '<<say ready>>');
    await app.open('worker');
    const words = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    await app.send(
        `<<think hm>><<stream 30ms ${words}>><<sh echo out; echo more; exit 3>><<say **bold** end>>`,
    );
    await expect(app.items('growing')).toContainText('word3 word4');
    await expect(app.items('growing')).toHaveCount(0);
    await expect(app.items('answer')).toHaveText(['ready', words, 'bold end']);
    await expect(app.items('answer').locator('strong')).toHaveText('bold');
    await expect(app.items('message')).toHaveCount(2);
    await expect(app.items('pending')).toHaveCount(0);
    const tool = app.items('tool');
    await expect(tool).toContainText('Run echo out; echo more; exit 3');
    await expect(tool).toContainText('exit 3');
    await expect(tool.locator('pre')).toHaveText('out\nmore');
    const thought = app.items('thinking').getByRole('button');
    await expect(thought).toHaveAttribute('aria-expanded', 'false');
    await thought.click();
    await expect(thought).toHaveAttribute('aria-expanded', 'true');
});

test('queue, interrupt and stop', async ({ app, daemon }) => {
    const handle = await daemon.agent('busy', '<<say on it>><<hang>>');
    await app.open('busy');
    await expect(app.items('answer')).toHaveText(['on it']);
    await app.send('<<say queued one>>');
    await expect(app.queued).toContainText('accepted');
    await expect(app.items('pending')).toHaveCount(0);
    await expect(app.status()).toContainText('running');

    await app.send('<<say interrupting>><<hang>>', 'Control+Enter');
    await expect(app.items('answer')).toHaveText(['on it', 'interrupting']);
    await expect(app.queued).toContainText('queued one');

    await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(app.page.getByText('Stopped. Send a message to continue. 1 message waits.')).toBeVisible();
    await expect(app.page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0);
    expect(await daemon.inspect(handle)).toMatchObject({ hold: 'stopped', held: 1 });

    await app.send('<<say going on>>');
    await expect(app.items('answer')).toHaveText(['on it', 'interrupting', 'queued one', 'going on']);
    await expect(app.items('pending')).toHaveCount(0);
    await expect(app.page.getByText('to continue')).toHaveCount(0);
});

test('a permission is given and refused', async ({ app, daemon }) => {
    await daemon.agent(
        'careful',
        '<<ask May I push?\n\n  git push origin main>><<say pushed>><<ask And delete?>>',
    );
    await app.open('careful');
    const asks = app.items('ask');
    await expect(asks.locator('pre')).toHaveText('May I push?\n\n  git push origin main');
    await press(asks.getByRole('button', { name: 'Allow' }));
    await expect(asks.first()).toContainText('Allowed');
    await expect(app.items('answer')).toHaveText(['pushed']);
    await press(asks.nth(1).getByRole('button', { name: 'Deny' }));
    await expect(asks.nth(1)).toContainText('Denied');
    await expect(asks.getByRole('button')).toHaveCount(0);
    await expect(app.row('careful')).toContainText('idle');
});

test('a failed turn says so', async ({ app, daemon }) => {
    await daemon.agent('unlucky', '<<say trying>><<fail no luck>>');
    await app.open('unlucky');
    await expect(app.items('note')).toContainText('no luck');
    await expect(app.row('unlucky')).toContainText('failed');
    await expect(app.page.getByText('The last turn failed. Send a message to continue.')).toBeVisible();
});

test('without a name, an agent is called by its folder and handle', async ({ app, daemon }) => {
    const handle = await daemon.paseo('run', '-d', '--ui', '<<say hi>>');
    await app.open(`work ${handle}`);
    await expect(app.page.locator('header').getByText(handle)).toHaveCount(1);
});

test('what a stop holds says what makes it go on', async ({ app, daemon }) => {
    await daemon.agent('held', '<<say hi>><<hang>>');
    await app.open('held');
    await app.send('and then?');
    await expect(app.queued).toContainText('accepted');
    await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(app.queued).toContainText('held: a person stopped the agent');
});

test('an agent that is not there is not asked for over and over', async ({ app, daemon, complaints }) => {
    complaints.allow(/404 \(Not Found\)/);
    let refused = 0;
    app.page.on('response', (response) => (refused += response.status() === 404 ? 1 : 0));
    await app.page.goto(new URL('/app/agents/0a0b', app.page.url()).href);
    await expect(app.page.getByRole('heading', { name: 'Agent not found' })).toBeVisible();
    await daemon.agent('another', '<<say hi>>');
    await expect(app.row('another')).toBeVisible();
    // The agent itself, its transcript, and the stream that would follow it; not thousands.
    expect(refused).toBeLessThan(10);
});

test('a row has room for what the agent said, and no branch that only repeats its id', async ({
    app,
    daemon,
}) => {
    await daemon.repository();
    const said = 'All tests pass, and the parser keeps comments now.';
    await daemon.agent('worker', `<<say ${said}>>`, '--worktree');
    const row = app.row('worker');
    await expect(row).toContainText(said);
    await expect(row).not.toContainText('paseo/');
    await app.page.setViewportSize({ width: 390, height: 844 });
    const shown = await row.locator('.work').evaluate((work) => work.clientWidth);
    expect(shown).toBeGreaterThan(120);
});
