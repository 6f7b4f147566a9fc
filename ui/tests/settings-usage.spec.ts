import { expect, test } from './app';
import { onBoth, Settings } from './settings';

const DAY = new Date().toISOString().slice(0, 10);
const usage = (input_tokens: number, cost_micros: number) => ({
    input_tokens,
    output_tokens: 7,
    cached_tokens: 0,
    cost_micros,
});

/** What a daemon says that has seen models at work. */
function report(by: string) {
    const rows = {
        day: [{ day: DAY, usage: usage(1234, 2_500_000) }],
        project: [{ project: '/home/ann/<img src=x>', usage: usage(1234, 2_500_000) }],
        model: [
            { provider: 'claude', model: 'opus', usage: usage(1000, 2_000_000) },
            { provider: 'claude', usage: usage(234, 500_000) },
        ],
    }[by];
    return { since: DAY, until: DAY, by, total: usage(1234, 2_500_000), rows, left_out: 0, complete: true };
}

test('a daemon whose agents used nothing says so', async ({ app }) => {
    const settings = new Settings(app.page);
    await settings.open('usage', 'Usage');
    await expect(settings.main.getByText('No usage')).toBeVisible();
});

onBoth(() => {
    test('usage is a chart and tables that fit the screen', async ({ app }) => {
        const asked: string[] = [];
        await app.page.route('**/api/usage?*', (route) => {
            const query = new URL(route.request().url()).searchParams;
            asked.push(`${query.get('since')} ${query.get('by')}`);
            return route.fulfill({ json: report(query.get('by') ?? 'day') });
        });
        const settings = new Settings(app.page);
        await settings.open('usage', 'Usage');
        const chart = settings.main.getByRole('img', { name: /^Cost by day/ });
        await expect(chart).toBeVisible();
        const shares = settings.main.getByRole('img', { name: 'Cost by model' });
        await expect(shares).toContainText('claude opus');
        const widths = await shares
            .locator('svg')
            .evaluateAll((bars) =>
                bars.map((bar) => bar.querySelector('rect:not(.ground)')!.getBoundingClientRect().width),
            );
        expect(widths[1]! / widths[0]!).toBeCloseTo(0.25, 1);
        await expect(settings.main.getByRole('img', { name: 'Cost by project' })).toContainText(
            '/home/ann/<img src=x>',
        );
        const models = settings.main.getByRole('region', { name: 'By model', exact: true });
        await expect(models.getByRole('row')).toHaveCount(3);
        await expect(models.getByRole('row', { name: /^claude opus/ })).toContainText('$2.00');
        await expect(models.getByRole('row', { name: /default model/ })).toContainText('234');
        await expect(settings.main.getByRole('region', { name: 'By project', exact: true })).toContainText(
            '/home/ann/<img src=x>',
        );
        await settings.expectFit();
        const before = asked.length;
        await settings.main.getByRole('button', { name: '7 days' }).click();
        await expect.poll(() => asked.length).toBeGreaterThan(before);
        const week = new Date(Date.parse(DAY) - 6 * 86_400_000).toISOString().slice(0, 10);
        expect(asked.at(-1)?.startsWith(week)).toBe(true);
        await expect(settings.main.getByRole('button', { name: '7 days' })).toHaveAttribute(
            'aria-pressed',
            'true',
        );
    });
});
