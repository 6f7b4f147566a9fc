import type { Locator } from '@playwright/test';
import { expect, expectAccessible, test, type App } from './app';

function card(app: App, name: string): Locator {
    return app.page.getByRole('region', { name: `${name} asks for permission`, exact: true });
}

async function middle(button: Locator): Promise<{ x: number; y: number }> {
    const box = await button.boundingBox();
    if (!box) throw new Error('it is not displayed');
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

test.beforeEach(({ app }) => app.inbox());

test('a destructive request takes two steps at the same place', async ({ app, daemon }) => {
    const decisions: { shown_ms: number }[] = [];
    app.page.on('request', (request) => {
        if (request.method() === 'POST' && /permissions\/[0-9a-f]+$/.test(request.url()))
            decisions.push(request.postDataJSON() as { shown_ms: number });
    });
    await daemon.agent('cleaner', '<<sh rm -rf gone>><<say went on>>', '--permissions', 'ask');
    await expect(card(app, 'cleaner')).toContainText('Destructive');
    const first = card(app, 'cleaner').getByRole('button', { name: 'Allow…' });
    await expect(first).toBeEnabled();
    const { x, y } = await middle(first);
    // A double click is one step.
    await app.page.mouse.dblclick(x, y);
    const second = card(app, 'cleaner').getByRole('button', { name: 'Really allow' });
    await expect(second).toBeVisible();
    expect(await middle(second)).toEqual({ x, y });
    expect(decisions).toEqual([]);
    await expectAccessible(app.page);
    await expect(second).toBeEnabled();
    await app.page.mouse.click(x, y);
    await expect(card(app, 'cleaner')).toHaveCount(0);
    expect(decisions).toHaveLength(1);
    expect(decisions[0]).toMatchObject({ allow: true });
    expect(decisions[0]?.shown_ms).toBeGreaterThanOrEqual(500);
});

test('a harmless request takes one step', async ({ app, daemon }) => {
    await daemon.agent('lister', '<<sh ls>><<say went on>>', '--permissions', 'ask');
    const button = card(app, 'lister').getByRole('button', { name: 'Allow', exact: true });
    await expect(button).toBeEnabled();
    await button.click();
    await expect(card(app, 'lister')).toHaveCount(0);
});
