import type { Page } from '@playwright/test';
import { expect, expectAccessible, test } from './app';
import { crowd } from './crowd';
import { boxes, overlaps, visitMap } from './mapped';

/** Returns what is cut off: in pixels, except where an ellipsis says so and the title has all of it. */
async function clipped(page: Page): Promise<string[]> {
    return page.locator('[data-node]').evaluateAll((nodes) =>
        nodes.flatMap((node) => {
            const found: string[] = [];
            const card = node.firstElementChild as HTMLElement;
            const box = card.getBoundingClientRect();
            for (const part of node.querySelectorAll<HTMLElement>('.name, .facts, .facts > *')) {
                const style = getComputedStyle(part);
                const { textContent, scrollWidth, clientWidth, clientHeight } = part;
                const text = textContent?.trim() ?? '';
                const told = style.textOverflow === 'ellipsis' && card.title.includes(text);
                if (scrollWidth > clientWidth && !told)
                    found.push(`${text}: ${scrollWidth} of ${clientWidth}`);
                const { top, bottom, right } = part.getBoundingClientRect();
                // A fact that has no room in the two lines is left out as a whole.
                const facts = part.closest('.facts')?.getBoundingClientRect();
                const out = facts && top >= facts.bottom;
                if (!out && (right > box.right || bottom > box.bottom || top < box.top))
                    found.push(`${text} sticks out`);
                if (!out && facts && bottom > facts.bottom + 1) found.push(`${text} is cut`);
                if (
                    part.matches('.facts') &&
                    clientHeight > 0 &&
                    !card.title.includes(text.split(/\s/)[0] ?? '')
                )
                    found.push(`${text}: nothing says all of it`);
            }
            return found;
        }),
    );
}

/** Returns the lines that pass through a node which is not one of their ends, by what is drawn. */
async function crossing(page: Page): Promise<string[]> {
    return page.evaluate(() => {
        const map = document.querySelector('.map')?.getBoundingClientRect();
        const nodes = [...document.querySelectorAll<HTMLElement>('[data-node]')].map((node) => {
            const { left, top, right, bottom } = node.getBoundingClientRect();
            return { id: node.dataset['node'] ?? '', left, top, right, bottom };
        });
        return [...document.querySelectorAll<SVGPathElement>('[data-edge]')].flatMap((path) => {
            const length = path.getTotalLength();
            const through = new Set<string>();
            for (let at = 0; at <= length; at += 3) {
                const point = path.getPointAtLength(at);
                const [x, y] = [point.x + (map?.left ?? 0), point.y + (map?.top ?? 0)];
                for (const { id, left, top, right, bottom } of nodes)
                    if (x > left + 1 && x < right - 1 && y > top + 1 && y < bottom - 1) through.add(id);
            }
            return [...through].map((id) => `${path.dataset['edge']} through ${id}`);
        });
    });
}

test.describe('with many lines', () => {
    for (const [agents, lines] of [
        [5, 8],
        [100, 150],
    ] as const)
        test(`no text of ${agents} agents is cut off or crossed`, async ({ app }) => {
            const { page } = app;
            await page.route('**/api/map*', (route) => route.fulfill({ json: crowd(agents, lines) }));
            for (const width of [390, 768, 1024, 1440]) {
                await page.setViewportSize({ width, height: 900 });
                await visitMap(app, '?all=1');
                await expect(page.locator('[data-node]')).toHaveCount(agents + 1);
                expect(await clipped(page), `${width}`).toEqual([]);
                const wide = await page.evaluate(
                    () => document.documentElement.scrollWidth > window.innerWidth,
                );
                expect(wide, `${width}`).toBe(false);
                if (width < 768) continue;
                expect(overlaps(await boxes(page)), `${width}`).toEqual([]);
                expect(await page.locator('[data-edge]').count()).toBeGreaterThanOrEqual(lines);
                expect(await crossing(page), `${width}`).toEqual([]);
            }
            // Among so many lines, axe takes longer than it is worth: `map.spec.ts` looks at a hundred agents with few.
            if (agents === 5) await expectAccessible(page);
        });

    test('the lines of the agent that is pointed at stand out', async ({ app }) => {
        const { page } = app;
        await page.route('**/api/map*', (route) => route.fulfill({ json: crowd(100, 150) }));
        await visitMap(app, '?all=1');
        const opacity = (lines: string) =>
            page.locator(`.map g.${lines}`).evaluate((group) => Number(getComputedStyle(group).opacity));
        expect(await opacity('rest')).toBeLessThan(0.5);
        expect(await opacity('waits')).toBe(1);
        await expect(page.locator('.map svg text')).toHaveCount(0);
        const edge = await page.locator('[data-edge^="talk"]').nth(8).getAttribute('data-edge');
        const [, id] = edge?.split(' ') ?? [];
        const node = page.locator(`[data-node="${id}"]`);
        for (const point of [() => node.hover(), () => node.getByRole('link').focus()]) {
            await page.mouse.move(0, 0);
            await point();
            await expect(page.locator(`.map g:not(.lit) [data-edge*="${id}"]`)).toHaveCount(0);
            await expect(page.locator(`.map g.lit [data-edge*="${id}"]`).first()).toBeVisible();
            await expect(page.locator(`.map g.lit [data-edge]:not([data-edge*="${id}"])`)).toHaveCount(0);
            expect(await opacity('lit')).toBe(1);
            for (const other of ['rest', 'waits']) expect(await opacity(other)).toBeLessThan(0.2);
            await expect(page.locator('.map svg text').first()).toBeVisible();
        }
    });
});
