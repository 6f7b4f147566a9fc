import { expect, test } from './app';

test('participants of threads and workers in terminals ask here, too', async ({ app, daemon }) => {
    await app.inbox();
    await daemon.write('guest.script', '<<ask participant?>>');
    await daemon.define(
        'guest',
        `provider = 'scripted'\n[[models]]\nmodel_id = '${daemon.work}/guest.script'`,
    );
    await daemon.define('careful', `provider = 'scripted'\npermissions = 'ask'`);
    await daemon.paseo('thread', 'new', 'plan');
    await daemon.paseo('thread', 'invite', 'plan', 'guest', '--id', 'ann');
    await daemon.paseo('thread', 'post', 'plan', '--to', 'ann', 'please');
    const requests = app.page.getByRole('region', { name: /asks for permission$/ });
    await expect(requests.locator('pre')).toHaveText(['participant?']);
    await daemon.paseo('team', 'create', 'red', '-C', daemon.work);
    const task = '<<sh echo from a terminal>><<hang>>';
    await daemon.paseo('worker', 'start', '--team', 'red', '--agent', 'careful', task);
    await expect(requests).toHaveCount(2);
    const ofWorker = app.page.getByRole('region', { name: 'red-1 asks for permission', exact: true });
    await expect(ofWorker).toContainText("Answer in the agent's terminal: paseo worker attach red-1");
    await expect(app.page).toHaveTitle('(2) Inbox · Paseo');
    await app.agents();
    await expect(app.page.getByText('No agents here yet.')).toBeVisible();
    await expect(app.rows).toHaveCount(0);
    await app.inbox();
    await app.page.reload();
    await expect(requests).toHaveCount(2);
    await daemon.paseo('worker', 'kill', 'red-1');
    await expect(requests.locator('pre')).toHaveText(['participant?']);
});
