import { expect } from '@playwright/test';
import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import { report, scene } from './world';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
/** What belongs to terminals, which have a bar of their own. */
const TERMINAL = /xterm|terminal/i;

scene('the first page and the whole app are small as they are served', async ({ browse, daemon }) => {
    const page = await browse();
    const scripts = new Set<string>();
    page.on('response', (response) => {
        if (response.request().resourceType() === 'script') scripts.add(new URL(response.url()).pathname);
    });
    await page.reload();
    await expect(page.getByRole('region', { name: 'Needs you' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Finished since you looked' })).toBeVisible();
    await page.waitForLoadState('networkidle').catch(() => {});
    expect(scripts.size).toBeGreaterThan(0);
    let first = 0;
    for (const path of scripts) first += await served(daemon.url + path);
    let whole = 0;
    for (const name of readdirSync(DIST, { recursive: true, encoding: 'utf8' }))
        if (/\.(js|css)$/.test(name) && !TERMINAL.test(name))
            whole += await served(`${daemon.url}/app/${name}`);
    report({ first, whole, scripts: scripts.size });
});

/** Returns how many bytes of a file go over the wire to a browser that takes gzip. */
function served(url: string): Promise<number> {
    return new Promise((resolve, reject) => {
        get(url, { headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
            let bytes = 0;
            answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
            answer.on('error', reject);
            answer.on('end', () => {
                const { 'content-encoding': encoding } = answer.headers;
                // A file that is smaller than a packet is served as it is.
                if (answer.statusCode !== 200) reject(new Error(`${url}: ${answer.statusCode}`));
                else if (encoding !== 'gzip' && bytes >= 1024)
                    reject(new Error(`${url}: ${bytes} bytes are not compressed`));
                else resolve(bytes);
            });
        }).on('error', reject);
    });
}
