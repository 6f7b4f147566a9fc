import type { Page } from '@playwright/test';
import { expect } from './app';
import type { Daemon } from './daemon';

/** Takes away what differs from run to run: ids, times, paths, versions. */
async function normal(text: string, daemon: Daemon): Promise<string> {
    let result = text.replace(/paseo-ui-\w+/g, 'paseo-ui');
    for (const { id, handle, name } of await daemon.listed())
        result = result.replaceAll(id, `<id of ${name}>`).replaceAll(handle, `<${name}>`);
    return (
        result
            // Before times: a part of an id can look like one.
            .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '<id>')
            .replace(/\b\d{1,2}:\d{2}(:\d{2})?( [AP]M)?\b/g, '<time>')
            // How long something took.
            .replace(/\b(\d+ ms|\d+\.\d+ s)(?!\w)/g, '<time>')
            .replace(/\b(now|just now|\d+ ?(s|m|min|h|d))( ago)?\b/g, '<time>')
            .replace(/\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\/\d{1,2}\/\d{4}\b/g, '<date>')
            .replace(/\b[0-9a-f]{7,64}\b/g, '<hash>')
            .replace(/127\.0\.0\.1:\d+/g, '<address>')
            // A handle that is a number has quotes.
            .replace(/: "(<[^">]+>)"$/gm, ': $1')
    );
}

/** A card that was not displayed long enough to be answered. */
const WAITING = /button "(Retry|Resume)[^"]*" \[disabled\]/;

/** Returns what is on the page, once it does not change any more: cards take answers after half a second. */
export async function settled(page: Page, daemon: Daemon): Promise<string> {
    let last = '';
    let same = 0;
    await expect
        .poll(
            async () => {
                const before = last;
                last = await normal(await page.locator('body').ariaSnapshot(), daemon);
                // Until its Markdown is read, an answer is shown as it is.
                const unread = await page.locator('.markdown > .plain').count();
                same = last === before && !WAITING.test(last) && unread === 0 ? same + 1 : 0;
                return same;
            },
            { intervals: [300], timeout: 30_000 },
        )
        .toBeGreaterThanOrEqual(3);
    return last;
}
