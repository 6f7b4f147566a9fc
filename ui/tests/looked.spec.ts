import { expect, gate, test } from './app';

test('an agent that was opened is read in all browsers', async ({ app, daemon, another }) => {
    await daemon.agent('news', '<<say done>>');
    const other = await another();
    for (const { row } of [app, other].map((each) => ({ row: each.row('news') })))
        await expect(row).toContainText('Unread');
    await app.open('news');
    for (const each of [app, other]) await expect(each.row('news')).not.toContainText('Unread');
    await app.page.reload();
    await expect(app.row('news')).toBeVisible();
    await expect(app.row('news')).not.toContainText('Unread');
});

test('what ends while its end is displayed is read; above the end, it is not', async ({ app, daemon }) => {
    const lines = Array.from({ length: 60 }, (_, at) => `<<say line ${at}>>`).join('');
    const handle = await daemon.agent('long', `${lines}${gate('first')}<<say one>>`);
    await app.open('long');
    await daemon.touch('first');
    await expect(app.items('answer').last()).toHaveText('one');
    await expect.poll(() => daemon.session(handle)).toMatchObject({ status: 'idle', unread: false });

    const scroller = app.page.getByRole('region', { name: 'Transcript' });
    await scroller.evaluate((element) => (element.scrollTop = 0));
    await expect(app.page.getByRole('button', { name: 'Latest' })).toBeVisible();
    await daemon.paseo('archive', handle);
    await app.send('<<say two>>');
    await expect.poll(() => daemon.session(handle)).toMatchObject({ status: 'idle', unread: true });
    await expect(app.row('long')).toContainText('Unread');
    await app.page.getByRole('button', { name: 'Latest' }).click();
    await expect(app.row('long')).not.toContainText('Unread');
});
