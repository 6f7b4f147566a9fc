import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Fails on anything that axe finds wrong with what is on the screen. */
export async function expectAccessible(page: Page): Promise<void> {
    await expect(async () => {
        // What begins to change colour while it is looked at, such as a button that now counts, is looked at again.
        await still(page);
        // Preloading would read the style sheets again, which fails without a daemon, for rules that are not used.
        const { violations } = await new AxeBuilder({ page }).options({ preload: false }).analyze();
        const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]);
        expect(found).toEqual([]);
    }).toPass({ timeout: 20_000 });
}

/** Waits for animations: a colour on its way to another one has neither's contrast. */
async function still(page: Page): Promise<void> {
    await page.evaluate(async () => {
        const all = document
            .getAnimations()
            .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity);
        await Promise.allSettled(all.map(({ finished }) => finished));
    });
}
