import type { Page } from '@playwright/test';
import { expect, type App } from './app';

/** Opens the map. */
export async function visitMap(app: App, query = ''): Promise<void> {
    await app.page.goto(new URL(`/app/map${query}`, app.page.url()).href);
    await expect(app.page.getByRole('heading', { level: 1, name: 'Map' })).toBeVisible();
}

interface Stood {
    id: string;
    x: number;
    y: number;
    right: number;
    bottom: number;
}

/** Returns where the nodes are on the screen. */
export async function boxes(page: Page): Promise<Stood[]> {
    return page.locator('[data-node]').evaluateAll((nodes) =>
        nodes.map((node) => {
            const { left, top, right, bottom } = node.getBoundingClientRect();
            return { id: node.getAttribute('data-node') ?? '', x: left, y: top, right, bottom };
        }),
    );
}

/** Returns the pairs of nodes that cover each other. */
export function overlaps(all: Stood[]): string[] {
    return all.flatMap((one, at) =>
        all
            .slice(at + 1)
            .filter(
                (other) =>
                    one.x < other.right &&
                    other.x < one.right &&
                    one.y < other.bottom &&
                    other.y < one.bottom,
            )
            .map((other) => `${one.id} ${other.id}`),
    );
}
