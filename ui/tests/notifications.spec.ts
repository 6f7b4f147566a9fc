import { App, expect, expectAccessible, test } from './app';
import { allow, deliverer, MAIN, pretend, PushService, shown, switchOf, workerOf } from './push';
import { onBoth, Settings } from './settings';

test.use({ serviceWorkers: 'allow' });

let service: PushService;

test.beforeEach(async () => {
    service = await PushService.start();
});
test.afterEach(() => service.stop());

onBoth(() => {
    test('notifications are turned on, tested, chosen and turned off', async ({
        page,
        context,
        daemon,
        complaints,
    }) => {
        complaints.allow(/ServiceWorker/);
        await allow(context, daemon);
        await pretend(context, service.endpoint('one'));
        await new App(page).login(daemon);
        await workerOf(page);
        const settings = new Settings(page);
        await settings.open('notifications', 'Notifications');
        await expect(switchOf(settings, MAIN)).not.toBeChecked();
        await expect(settings.main).toContainText('None yet.');
        await settings.expectFit();

        await switchOf(settings, MAIN).click();
        await expect(switchOf(settings, MAIN)).toBeChecked();
        const kinds = settings.main.getByRole('list', { name: 'Kinds of notifications' });
        await expect(kinds.getByRole('switch', { checked: true })).toHaveCount(4);
        await expect(switchOf(settings, 'Rate limits')).not.toBeChecked();
        const devices = settings.main.getByRole('list', { name: 'Devices that get notifications' });
        await expect(devices.getByRole('listitem')).toContainText('This browser');

        await switchOf(settings, 'Failures').click();
        await expect(switchOf(settings, 'Failures')).not.toBeChecked();
        await settings.main.getByRole('button', { name: 'Send a test notification' }).click();
        await expect(settings.main).toContainText('Sent. If nothing appears');
        expect(service.paths).toEqual(['/one']);
        await settings.expectFit();

        // It is the daemon that knows.
        await page.reload();
        await expect(switchOf(settings, MAIN)).toBeChecked();
        await expect(switchOf(settings, 'Failures')).not.toBeChecked();
        await switchOf(settings, MAIN).click();
        await expect(switchOf(settings, MAIN)).not.toBeChecked();
        await expect(kinds).toHaveCount(0);
        expect(await daemon.paseo('devices', 'ls')).toMatch(/ no /);
    });

    test('what the push service says is shown, and a browser that it forgot is turned off', async ({
        page,
        context,
        daemon,
    }) => {
        await allow(context, daemon);
        await pretend(context, service.endpoint('one'));
        await new App(page).login(daemon);
        await workerOf(page);
        const settings = new Settings(page);
        await settings.open('notifications', 'Notifications');
        await switchOf(settings, MAIN).click();
        const send = settings.main.getByRole('button', { name: 'Send a test notification' });
        service.status = 403;
        await send.click();
        await expect(settings.main).toContainText('Not delivered: the push service responded with 403');
        service.status = 410;
        await send.click();
        await expect(switchOf(settings, MAIN)).not.toBeChecked();
        await settings.expectFit();
    });
});

test('two browsers have switches of their own and see each other', async ({
    page,
    context,
    stranger,
    daemon,
}) => {
    await allow(context, daemon);
    await pretend(context, service.endpoint('one'));
    await new App(page).login(daemon);
    await workerOf(page);
    const one = new Settings(page);
    await one.open('notifications', 'Notifications');
    await switchOf(one, MAIN).click();
    await switchOf(one, 'Questions').click();
    await expect(switchOf(one, 'Questions')).not.toBeChecked();

    const second = await stranger({ serviceWorkers: 'allow' });
    await allow(second.context(), daemon);
    await pretend(second.context(), service.endpoint('two'));
    const other = new Settings(second);
    await new App(other.page).login(daemon);
    await workerOf(other.page);
    await other.open('notifications', 'Notifications');
    await expect(switchOf(other, MAIN)).not.toBeChecked();
    await switchOf(other, MAIN).click();
    await expect(switchOf(other, 'Questions')).toBeChecked();
    const listed = one.main
        .getByRole('list', { name: 'Devices that get notifications' })
        .getByRole('listitem');
    await expect(listed).toHaveCount(2);

    // The first wants no questions.
    await daemon.agent('asker', '<<ask May I?>><<hang>>');
    await expect.poll(() => service.paths).toEqual(['/two']);
});

test('a push is shown, and a click leads to its card or to the agent', async ({ page, context, daemon }) => {
    await allow(context, daemon);
    await new App(page).login(daemon);
    const deliver = await deliverer(page);
    for (const name of ['first', 'second', 'third']) await daemon.agent(name, '<<fail out of order>>');
    const id = await daemon.create({ name: 'asker', prompt: '<<ask May I go on?>>' });
    const url = `${daemon.url}/app?agent=${id}`;
    const agent = `${daemon.url}/app/agents/${id}`;
    const actions = [
        { action: 'card', title: 'Show card', navigate: url },
        { action: 'agent', title: 'Open agent', navigate: agent },
    ];
    const notification = {
        title: 'asker asks for permission',
        navigate: url,
        tag: `paseo-${id}`,
        app_badge: 1,
        actions,
    };
    await deliver({ web_push: 8030, notification });
    await expect
        .poll(() => shown(page))
        .toEqual([
            {
                title: notification.title,
                tag: notification.tag,
                data: { url, actions: actions.map(({ navigate, ...rest }) => ({ ...rest, url: navigate })) },
                actions: actions.map(({ action, title }) => ({ action, title })),
            },
        ]);
    // The same agent again takes its place; what cannot be read is shown all the same.
    await deliver({ web_push: 8030, notification: { ...notification, title: 'asker failed' } });
    await expect.poll(async () => (await shown(page)).map(({ title }) => title)).toEqual(['asker failed']);
    await deliver('nonsense');
    await expect
        .poll(async () => (await shown(page)).map(({ title }) => title).sort())
        .toEqual(['An agent has news', 'asker failed']);

    // No test can click on the desktop's notification: its worker is told that somebody did.
    const [worker] = context.serviceWorkers();
    const click = (action: string) =>
        worker?.evaluate(
            async ({ tag, action }) => {
                const { registration } = self as unknown as { registration: ServiceWorkerRegistration };
                const [notification] = await registration.getNotifications({ tag });
                const event = new Event('notificationclick');
                Object.assign(event, { notification, action, waitUntil: () => {} });
                self.dispatchEvent(event);
            },
            { tag: notification.tag, action },
        );
    await click('');
    await expect(page).toHaveURL(url);
    const card = page.getByRole('region', { name: 'asker asks for permission' });
    await expect(card).toBeInViewport();
    await expect(page.locator('li.pointed')).toContainText('May I go on?');
    await expect(card.getByRole('link', { name: 'asker' })).toBeFocused();
    await expect
        .poll(async () => (await shown(page)).map(({ title }) => title))
        .toEqual(['An agent has news']);
    await deliver({ web_push: 8030, notification });
    await expect.poll(async () => (await shown(page)).length).toBe(2);
    await click('agent');
    await expect(page).toHaveURL(agent);
    await expect(page.getByRole('heading', { level: 1, name: 'asker' })).toBeVisible();
});

test('the page says why notifications cannot work', async ({ page, context, daemon }) => {
    await context.addInitScript(() => {
        Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
    });
    await new App(page).login(daemon);
    const settings = new Settings(page);
    await settings.open('notifications', 'Notifications');
    await expect(settings.main.getByRole('heading', { name: 'Notifications are blocked' })).toBeVisible();
    await expect(settings.main.getByRole('switch')).toHaveCount(0);
    await expectAccessible(page);
});

test('permission is asked for only after a tap, and a refusal is told', async ({ page, context, daemon }) => {
    await context.addInitScript(() => {
        const asked = { times: 0 };
        Object.assign(window, { asked });
        Notification.requestPermission = () => {
            asked.times += 1;
            return Promise.resolve('default');
        };
    });
    const times = () => page.evaluate(() => (window as unknown as { asked: { times: number } }).asked.times);
    await pretend(context, service.endpoint('one'));
    await new App(page).login(daemon);
    await workerOf(page);
    const settings = new Settings(page);
    await settings.open('notifications', 'Notifications');
    expect(await times()).toBe(0);
    await switchOf(settings, MAIN).click();
    await expect(settings.main.getByRole('alert')).toContainText('the browser did not allow notifications');
    expect(await times()).toBe(1);
    await expect(switchOf(settings, MAIN)).not.toBeChecked();
});

test('a bell says whether a finished turn is told, in the header and in the menu', async ({
    app,
    daemon,
}) => {
    await daemon.agent('runner', '<<say done>>');
    await app.choose('runner', 'Notify me when it finishes');
    await app.open('runner');
    const bell = app.page.getByRole('button', { name: 'Notify me when it finishes' });
    await expect(bell).toHaveAttribute('aria-pressed', 'true');
    await bell.click();
    await expect(bell).toHaveAttribute('aria-pressed', 'false');
    await expectAccessible(app.page);
});

test('the icon of the installed app counts what needs a person', async ({ page, context, daemon }) => {
    await context.addInitScript(() => {
        const badges: number[] = [];
        Object.assign(window, { badges });
        Object.assign(navigator, {
            setAppBadge: (count: number) => {
                badges.push(count);
                return Promise.resolve();
            },
        });
        const match = window.matchMedia.bind(window);
        window.matchMedia = (query) =>
            query === '(display-mode: standalone)' ? ({ matches: true } as MediaQueryList) : match(query);
    });
    await new App(page).login(daemon);
    const last = () => page.evaluate(() => (window as unknown as { badges: number[] }).badges.at(-1));
    await expect.poll(last).toBe(0);
    await daemon.agent('asker', '<<ask May I?>><<hang>>');
    await expect.poll(last).toBe(1);
});
