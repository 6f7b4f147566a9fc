import type { Page } from '@playwright/test';
import { expect, type App } from './app';

/** What hostile text is looked at on. */
export const SCREENS = [
    ['phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ['desktop', { viewport: { width: 1440, height: 900 } }],
] as const;

/** Nothing is hidden or turned around, nothing ran, and nothing sticks out. */
export async function expectHarmless(page: Page, where: string): Promise<void> {
    const found = await page.evaluate(() => {
        const hidden =
            /[\u061c\u180e\u202a-\u202e\u2060-\u2064\u2066-\u2069\u200b\u200e\u200f\u00ad\ufeff\u0000\u001b]/;
        const problems: string[] = [];
        if (hidden.test(document.title)) problems.push(`title: ${JSON.stringify(document.title)}`);
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        // The emulator of terminals measures characters where nobody sees them.
        const measured = (node: Node) => node.parentElement?.closest('.xterm-char-measure-element') !== null;
        for (let node = walk.nextNode(); node; node = walk.nextNode())
            if (hidden.test(node.nodeValue ?? '') && !measured(node))
                problems.push(`text: ${node.parentElement?.outerHTML.slice(0, 200)}`);
        for (const element of document.body.querySelectorAll('*')) {
            for (const name of ['title', 'aria-label', 'alt', 'placeholder'])
                if (hidden.test(element.getAttribute(name) ?? ''))
                    problems.push(`${name}: ${element.outerHTML.slice(0, 200)}`);
            const link = element.getAttribute('href');
            if (link !== null && !/^(\/app(?![\w-])|\/api\/|https?:\/\/|mailto:)/.test(link))
                problems.push(`link: ${link}`);
        }
        if (document.querySelector('main img[onerror], main script, main style, main iframe'))
            problems.push('markup became elements');
        if (document.documentElement.scrollWidth > innerWidth)
            problems.push(`the page is ${document.documentElement.scrollWidth} wide`);
        // Only code, and rows that are made for it, are scrolled aside.
        for (const part of document.body.querySelectorAll(
            '*:not(pre, textarea, ul, [role=group], .scroll, :has(> .xterm), .xterm *)',
        )) {
            const { overflowX, clipPath, textOverflow } = getComputedStyle(part);
            const scrolls = overflowX === 'auto' || overflowX === 'scroll';
            const whole = part.matches('main, dialog[open], nav, .page-body, [role=region]') && !scrolls;
            if (!(whole || scrolls) || clipPath !== 'none' || textOverflow === 'ellipsis') continue;
            if (part.scrollWidth > part.clientWidth + 1)
                problems.push(
                    `${part.tagName} ${part.className} is ${part.scrollWidth} of ${part.clientWidth}`,
                );
        }
        return problems;
    });
    expect.soft(found, where).toEqual([]);
}

export async function goTo(app: App, path: string): Promise<void> {
    await app.page.goto(new URL(path, app.page.url()).href);
    await expect(app.page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(app.page.getByRole('status', { name: 'Loading' })).toHaveCount(0);
}
