import type { Page } from '@playwright/test';
import { readdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
/** Longer than the page waits before it loads what is not needed at once. */
const QUIET_MS = 4000;
const LIMIT_MS = 60_000;
/** What only terminals need has a bar of its own: our code, and the library that draws them. */
const TERMINAL = /\/((Terminal|Shell)(Panel|Tile)|tile(\.svelte)?|emulator)-/;
const LIBRARY = 'xterm';

/** Loads a page again. Returns the paths of all scripts that it loads until none has come for a while. */
export async function scriptsOf(page: Page, seen: () => Promise<unknown>): Promise<string[]> {
    const scripts = new Set<string>();
    let last = Date.now();
    const note = (path: string) => {
        scripts.add(path);
        last = Date.now();
    };
    page.on('response', (response) => {
        if (response.request().resourceType() === 'script') note(new URL(response.url()).pathname);
    });
    await page.reload();
    await seen();
    for (const end = Date.now() + LIMIT_MS; Date.now() < last + QUIET_MS;) {
        if (Date.now() > end) throw new Error('scripts do not stop to come');
        await page.waitForTimeout(100);
    }
    return [...scripts];
}

/** Returns the paths of all scripts and style sheets that were built, without those that only terminals need. */
export function built(): string[] {
    const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' });
    const code = files.filter((name) => /\.(js|css)$/.test(name));
    const others = code.filter((name) => !TERMINAL.test(`/${name}`));
    // The pattern knows the names of today.
    const missed = others.filter((name) => readFileSync(DIST + name, 'utf8').includes(LIBRARY));
    if (missed.length > 0 || others.length > code.length - 5)
        throw new Error(`terminals have other files now: ${missed.join()}`);
    return others.map((name) => `/app/${name}`);
}

/** Returns how many bytes files are on their way to a browser that takes gzip. */
export async function served(origin: string, paths: readonly string[]): Promise<number> {
    let bytes = 0;
    for (const path of paths) bytes += await gzipped(origin + path);
    return bytes;
}

function gzipped(url: string): Promise<number> {
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
