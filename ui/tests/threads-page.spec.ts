import { expect, expectAccessible, test } from './app';
import { Bridge, PHONE, ThreadPage } from './threads';

test('a long thread is read page by page, and a reply leads to what it answers', async ({ app, daemon }) => {
    test.setTimeout(240_000);
    const id = await daemon.paseo('thread', 'new', 'long', '-q');
    const headers = {
        Authorization: `Bearer ${await daemon.secret()}`,
        'Content-Type': 'application/json',
    };
    const post = async (body: object) => {
        const address = `${daemon.url}/api/threads/${id}/messages`;
        const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
        return ((await response.json()) as { event: { id: string } }).event.id;
    };
    const first = await post({ text: 'number 0' });
    for (let at = 1; at < 260; at++) await post({ text: `number ${at}` });
    await post({ text: 'the answer', reply_to: first });

    const page = new ThreadPage(app.page);
    await page.open(id);
    await expect(page.messages.last()).toContainText('the answer');
    // Not all of it is on the page.
    expect(await page.messages.count()).toBeLessThan(250);
    await page.messages.last().locator('.answers').click();
    await expect(app.page.getByText('number 0', { exact: true })).toBeInViewport();
    await app.page.getByRole('button', { name: 'Latest' }).click();
    await expect(app.page.getByText('the answer', { exact: true })).toBeInViewport();
    // What comes is at the end, wherever the reader was.
    await post({ text: 'one more' });
    await expect(page.messages.last()).toContainText('one more');
    // Back by scrolling, without holes.
    for (let step = 0; step < 200 && !(await page.said()).includes('number 40'); step++) {
        await app.page
            .getByRole('region', { name: 'Messages' })
            .evaluate((scroller) => (scroller.scrollTop = 0));
        await app.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    const numbers = (await page.said()).flatMap((text) => /^number (\d+)$/.exec(text)?.[1] ?? []).map(Number);
    expect(numbers).toEqual(Array.from(numbers, (_, at) => (numbers[0] ?? 0) + at));
});

test('unread messages are counted until a person looks, in all browsers', async ({
    app,
    another,
    daemon,
}) => {
    const id = await daemon.paseo('thread', 'new', 'news', '-q');
    const eve = await Bridge.join(daemon, id, 'eve');
    await eve.say('one\n\ntwo');
    const [desk, other] = [app.page, (await another()).page];
    for (const page of [desk, other]) {
        await page.getByRole('link', { name: 'Threads', exact: true }).click();
        await expect(page.locator('[data-thread]')).toContainText('eve: one two');
        await expect(page.locator('[data-thread]')).toContainText('1 unread');
    }
    await desk.locator('[data-thread]').click();
    await expect(new ThreadPage(desk).messages).toHaveCount(1);
    for (const page of [desk, other]) await expect(page.locator('[data-thread]')).not.toContainText('unread');
});

test('a thread is renamed, moved, switched and deleted', async ({ app, another, daemon, complaints }) => {
    test.setTimeout(180_000);
    // A directory that does not exist is refused.
    complaints.allow(/40[04]/);
    const id = await daemon.paseo('thread', 'new', 'old name', '-q');
    await daemon.paseo('thread', 'invite', id, 'scripted', '--id', 'ada');
    const page = new ThreadPage(app.page);
    const other = new ThreadPage((await another()).page);
    for (const each of [page, other]) await each.open(id);
    await app.page.getByRole('button', { name: 'Actions for this thread' }).click();
    await app.page.getByRole('menuitem', { name: 'Rename' }).click();
    await app.page.getByRole('textbox', { name: 'Name of the thread' }).fill('new name');
    await app.page.keyboard.press('Enter');
    for (const each of [page, other])
        await expect(each.page.getByRole('heading', { level: 1, name: 'new name' })).toBeVisible();
    const people = await page.people();
    for (const name of ['Pause', 'Discussion', 'Auto']) {
        await people.getByRole('switch', { name, exact: true }).click();
        await expect(people.getByRole('switch', { name, exact: true })).toBeChecked();
    }
    await people.getByRole('button', { name: 'Change the working directory' }).click();
    await people.getByRole('combobox', { name: 'Directory' }).fill('/nowhere/at/all');
    await people.getByRole('button', { name: 'Save' }).click();
    await expect(people.getByText(/nowhere\/at\/all.*(not|does)/)).toBeVisible();
    await people.getByRole('combobox', { name: 'Directory' }).fill('/tmp');
    await people.getByRole('button', { name: 'Save' }).click();
    await expect(people.getByText('/tmp', { exact: true })).toBeVisible();
    await expect(app.page.locator('li[data-kind="thread.moved"]')).toContainText('/tmp');

    await people.getByRole('button', { name: 'Create token' }).click();
    const sheet = app.page.getByRole('dialog', { name: 'Token for an outside program' });
    await sheet.getByRole('textbox', { name: 'Participant' }).fill('eve');
    await sheet.getByRole('button', { name: 'Create token' }).click();
    await expect(sheet.getByText('it is not shown again')).toBeVisible();
    await page.close();

    await (await page.people()).getByRole('button', { name: 'Actions for ada' }).click();
    await app.page.getByRole('menuitem', { name: 'Remove' }).click();
    await app.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect(other.participant('ada')).toHaveCount(0);

    await app.page.getByRole('button', { name: 'Actions for this thread' }).click();
    await app.page.getByRole('menuitem', { name: 'Delete' }).click();
    const dialog = app.page.getByRole('dialog', { name: 'Delete “new name”?' });
    await expect(dialog).toContainText('0 messages will be deleted');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(app.page).toHaveURL(/\/app\/threads$/);
    await expect(other.page.getByRole('heading', { name: 'Thread not found' })).toBeVisible();
});

for (const [what, screen] of [
    ['phone', PHONE],
    ['desktop', { viewport: { width: 1440, height: 900 } }],
] as const)
    test.describe(`on a ${what}`, () => {
        test.use(screen);

        test('every part of a thread is accessible, and works with keys', async ({ app, daemon }) => {
            test.slow();
            const id = await daemon.paseo('thread', 'new', 'planning', '-q');
            await daemon.paseo('thread', 'invite', id, 'scripted', '--id', 'ada', '--role', 'planner');
            const page = new ThreadPage(app.page);
            await app.page.getByRole('link', { name: 'Threads', exact: true }).click();
            await expect(app.page.locator('[data-thread]')).toBeVisible();
            await expectAccessible(app.page);
            await page.open(id);
            await page.send('@ada <<say # Done\n\nAll **good**.>>');
            await expect(page.messages.last()).toContainText('good');
            await page.composer.fill('@ada and @nobody');
            await expect(page.will).toContainText('ada');
            await expectAccessible(app.page);
            await app.page.getByRole('button', { name: 'Invite agent' }).first().click();
            await expect(app.page.getByRole('textbox', { name: 'Id' })).toHaveValue(/^scripted/);
            await expectAccessible(app.page);
            await page.close();
            await page.people();
            await expectAccessible(app.page);
            await page.close();
            // What is on the screen and can be pressed is large enough for a thumb.
            if (what === 'phone') {
                const send = await app.page.getByRole('button', { name: 'Send' }).boundingBox();
                expect(send?.height).toBeGreaterThanOrEqual(44);
                return;
            }
            await page.composer.fill('');
            await page.composer.press('Escape');
            await app.page.keyboard.press('/');
            await expect(page.composer).toBeFocused();
            await page.composer.press('Escape');
            await app.page.keyboard.press('i');
            await expect(app.page.getByRole('dialog', { name: 'Invite an agent' })).toBeVisible();
            await app.page.keyboard.press('Escape');
            await expect(app.page.getByRole('dialog')).toHaveCount(0);
        });
    });
