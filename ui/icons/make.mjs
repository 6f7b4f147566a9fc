/** Makes the icons of the installed app from `src/icon.svg`: `npm run icons`. */
import { chromium } from '@playwright/test';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src/icon.svg', import.meta.url));
const TARGET = fileURLToPath(new URL('../public/icons/', import.meta.url));
/** Systems cut maskable icons into their own shape: the ground reaches the edge, and the drawing is smaller. */
const FORMS = [
    ['icon', ''],
    ['maskable', 'svg { background: #1c5f5d; padding: 12%; box-sizing: border-box }'],
];

mkdirSync(TARGET, { recursive: true });
copyFileSync(SOURCE, `${TARGET}icon.svg`);
const svg = readFileSync(SOURCE, 'utf8');
const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
});
for (const size of [192, 512])
    for (const [name, style] of FORMS) {
        const page = await browser.newPage({ viewport: { width: size, height: size } });
        const fill = 'body { margin: 0 } svg { display: block; width: 100vw; height: 100vh }';
        await page.setContent(`<style>${fill} ${style}</style>${svg}`);
        await page.screenshot({ path: `${TARGET}${name}-${size}.png`, omitBackground: true });
        await page.close();
    }
await browser.close();
