import { expect, gate, press, test } from './app';
import { Bridge, PHONE, ThreadPage } from './threads';

const DESK = { viewport: { width: 1280, height: 800 } };

for (const [what, screen, other] of [
    ['phone', PHONE, DESK],
    ['desktop', DESK, PHONE],
] as const)
    test.describe(`begun on a ${what}`, () => {
        test.use(screen);

        test('two people create a thread, invite agents, mute one during its turn, and release its reply', async ({
            app,
            another,
            daemon,
            complaints,
        }) => {
            test.setTimeout(120_000);
            complaints.allow(/ERR_|Failed to load|50[23]/);
            const [first, second] = [new ThreadPage(app.page), new ThreadPage((await another(other)).page)];
            const both = [first, second];
            const id = await first.create('planning', daemon.work);
            // The other browser hears of it.
            await second.page.getByRole('link', { name: 'Threads', exact: true }).click();
            await second.page.getByRole('link', { name: /^planning/ }).click();
            await expect(second.page.getByText('No participants yet.').first()).toBeVisible();

            await first.invite({ id: 'ada', nickname: 'Ada', roles: 'planner' });
            await second.invite({ id: 'ben' });
            for (const page of both)
                for (const name of ['ada', 'ben'])
                    await expect(page.participant(name)).toContainText('offline');

            // Offline or not, they can be written to, and the page says who will be woken.
            await first.page.getByRole('combobox', { name: 'To' }).selectOption('ben');
            await first.composer.fill('<<say hello from ben>>');
            await expect(first.will).toContainText('Will wake: ben');
            await first.page.getByRole('combobox', { name: 'To' }).selectOption('all');
            await expect(first.will).toContainText('Will wake: no one');
            await first.send(`@planner ${gate('go')}<<say the plan>>`);
            for (const page of both) await expect(page.participant('ada')).toContainText('thinking');

            const people = await second.people();
            await people.getByRole('button', { name: 'Mute Ada (ada)' }).click();
            await expect(people.getByRole('button', { name: 'Unmute Ada (ada)' })).toBeVisible();
            await second.close();
            for (const page of both) await expect(page.participant('ada')).toContainText('muted');
            await daemon.touch('go');
            for (const page of both) {
                await expect(page.held).toHaveCount(1);
                await expect(page.held).toContainText('the plan');
                expect(await page.said()).not.toContain('the plan');
            }

            const back = async () => {
                for (const page of both)
                    await expect(page.page.getByText('No connection to the daemon')).toHaveCount(0);
            };
            await daemon.kill();
            await back();
            for (const page of both) {
                await expect(page.held).toContainText('the plan');
                await expect(page.participant('ada')).toContainText('muted');
            }
            await first.held.getByRole('button', { name: 'Unmute ada' }).click();
            for (const page of both) {
                await expect(page.messages.last()).toContainText('the plan');
                await expect(page.held).toHaveCount(0);
                await expect(page.participant('ada')).toContainText('listening');
            }
            expect(await second.said()).toEqual(await first.said());

            // It answers what it was asked.
            await expect(first.messages.last().locator('.answers')).toContainText('@planner');
            await daemon.kill();
            await back();
            await first.messages
                .last()
                .getByRole('button', { name: /^Reply/ })
                .click();
            await first.send('@ada <<say and more>>');
            for (const page of both) await expect(page.messages.last()).toContainText('and more');
            expect(await second.said()).toEqual(await first.said());
            for (const page of both) {
                const wide = await page.page.evaluate(
                    () => document.documentElement.scrollWidth > innerWidth,
                );
                expect(wide).toBe(false);
            }
            expect(id).toMatch(/^[0-9a-f-]{36}$/);
        });
    });

test('a client of the bridge protocol and the page show the same in the same order', async ({
    app,
    daemon,
}) => {
    test.slow();
    const id = await daemon.paseo('thread', 'new', 'shared', '-q');
    const page = new ThreadPage(app.page);
    await page.open(id);
    const eve = await Bridge.join(daemon, id, 'eve');
    await eve.present('listening');
    await expect((await page.people()).locator('[data-participant="eve"]')).toContainText('listening');
    const stream = await eve.follow();
    const cameToPage = await page.watch();
    /** Both have it, in less time than a person needs to look from one to the other. */
    const bothShow = async (text: string) => {
        const timeout = 2000;
        await Promise.all([
            expect(page.messages.last()).toContainText(text, { timeout }),
            expect.poll(() => stream.came.at(-1), { timeout }).toBe(text),
        ]);
    };
    for (const at of [1, 2, 3]) {
        await eve.say(`eve says ${at}`);
        await bothShow(`eve says ${at}`);
        await page.send(`you say ${at}`);
        await bothShow(`you say ${at}`);
    }
    // Both talk at once.
    const numbers = Array.from({ length: 10 }, (_, at) => at);
    const program = (async () => {
        for (const at of numbers) await eve.say(`eve ${at}`);
    })();
    for (const at of numbers) await page.send(`you ${at}`);
    await program;
    await expect(page.messages).toHaveCount(26);
    const said = await eve.said();
    expect(said).toHaveLength(26);
    await expect.poll(() => page.said()).toEqual(said);
    // Not only the order in the end is the same, but also that in which they came.
    await expect.poll(() => stream.came).toEqual(said);
    expect(await cameToPage()).toEqual(said);
    stream.leave();
    await app.page.reload();
    await expect(page.messages).toHaveCount(26);
    expect(await page.said()).toEqual(said);
});

test('a request of a participant is decided in the thread, and an error is marked', async ({
    app,
    daemon,
}) => {
    const id = await daemon.paseo('thread', 'new', 'asking', '-q');
    await daemon.paseo('thread', 'invite', 'asking', 'scripted', '--id', 'ada');
    const page = new ThreadPage(app.page);
    await page.open(id);
    await page.send('@ada <<ask May I delete the build folder?>><<say done>>');
    const card = app.page.getByRole('region', { name: 'ada asks for permission' });
    await expect(card).toContainText('May I delete the build folder?');
    await expect(page.participant('ada')).toContainText('waiting');
    await press(card.getByRole('button', { name: 'Allow', exact: true }));
    await expect(page.messages.last()).toContainText('done');
    await expect(card).toContainText('Allowed');
    await page.send('@ada <<fail out of order>>');
    await expect(page.messages.last()).toContainText('ada failed');
    await expect(page.messages.last().locator('article')).toHaveClass(/failed/);

    // Its agent opens, and back leads to the thread.
    await (await page.people()).getByRole('button', { name: 'Actions for ada' }).click();
    await app.page.getByRole('menuitem', { name: 'Open its agent' }).click();
    await expect(app.page).toHaveURL(/\/app\/agents\//);
    await app.page.goBack();
    await expect(page.messages.last()).toContainText('ada failed');
});

test('a message is completed, kept as a draft, and sent once', async ({ app, daemon }) => {
    const id = await daemon.paseo('thread', 'new', 'drafts', '-q');
    for (const name of ['ada', 'ben'])
        await daemon.paseo('thread', 'invite', 'drafts', 'scripted', '--id', name);
    await daemon.paseo('thread', 'mute', 'drafts', 'ben');
    const page = new ThreadPage(app.page);
    await page.open(id);
    await page.composer.pressSequentially('Hi @a');
    await expect(app.page.getByRole('listbox').getByRole('option', { name: /^ada/ })).toBeVisible();
    await page.composer.press('Enter');
    await expect(page.composer).toHaveValue('Hi @ada ');
    await page.composer.pressSequentially('and @ben <<say hi>>');
    await expect(page.will).toContainText('Will wake: ada; not ben: muted');
    await app.page.reload();
    await expect(page.composer).toHaveValue('Hi @ada and @ben <<say hi>>');
    await expect(page.will).toContainText('Will wake: ada; not ben: muted');
    // Who is woken follows the thread.
    await daemon.paseo('thread', 'unmute', 'drafts', 'ben');
    await expect(page.will).toContainText('Will wake: ada, ben');
    await daemon.paseo('thread', 'pause', 'drafts');
    await expect(page.will).toContainText('Will wake: no one');
    await daemon.paseo('thread', 'resume', 'drafts');
    await expect(page.will).toContainText('Will wake: ada, ben');
    await page.composer.press('Enter');
    await expect(page.composer).toHaveValue('');
    await expect(page.messages.locator('[data-from="user"]')).toHaveCount(1);
    await expect(page.messages).toHaveCount(3);
});
