import { App, expect, test } from './app';
import { journey, PHONE } from './journey';
import { allow, MAIN, pretend, PushService, switchOf, workerOf } from './push';
import { Settings } from './settings';

test.use({ serviceWorkers: 'allow' });

test('two browsers keep their switches while the daemon is killed', async ({
    page,
    stranger,
    daemon,
    complaints,
}) => {
    test.setTimeout(120_000);
    const service = await PushService.start();
    complaints.allow(/ERR_|Failed to load|50[23]|ServiceWorker/);
    const desk = new App(page);
    const phone = new App(await stranger({ serviceWorkers: 'allow', ...PHONE }));
    for (const [at, app] of [desk, phone].entries()) {
        await allow(app.page.context(), daemon);
        await pretend(app.page.context(), service.endpoint(String(at)));
        await app.login(daemon);
        await workerOf(app.page);
    }
    const kind = (app: App, name: string) => switchOf(new Settings(app.page), name);
    await journey(
        { desk, phone, daemon },
        {
            page: 'notifications',
            at: '/app/settings/notifications',
            before: async () => {
                for (const app of [desk, phone]) await kind(app, MAIN).click();
            },
            see: (app) => expect(kind(app, MAIN)).toBeChecked(),
            after: () => kind(phone, 'Failures').click(),
        },
    );
    await expect(kind(phone, 'Failures')).not.toBeChecked();
    await expect(kind(desk, 'Failures')).toBeChecked();
    await service.stop();
});
