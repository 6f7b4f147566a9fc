import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** What is worth compressing; pictures already are. */
const TEXT = new Set(['.js', '.css', '.html', '.svg', '.webmanifest']);
/** A smaller file fits into the same packets either way. */
const LEAST = 1024;

/**
 * Tells the service worker which files there are, and puts a compressed copy (`X.br`, `X.gz`) next to each, which the
 * daemon serves to browsers that take it.
 */
export function shell(): Plugin {
    let folder = 'dist';
    return {
        name: 'paseo-shell',
        apply: 'build',
        configResolved: (config) => void (folder = join(config.root, config.build.outDir)),
        // What the service worker shares with the page, it has a copy of: it stands alone.
        resolveId: {
            order: 'pre',
            async handler(source, importer) {
                if (!importer?.includes('/src/worker/') || !source.startsWith('../')) return undefined;
                const found = await this.resolve(source, importer, { skipSelf: true });
                return found && { ...found, id: `${found.id}?worker-copy` };
            },
        },
        generateBundle(_, bundle) {
            const worker = bundle['sw.js'];
            if (worker?.type !== 'chunk') throw new Error('the service worker was not built');
            if (worker.imports.length > 0) throw new Error('the service worker must stand alone');
            const assets = Object.keys(bundle)
                .filter((name) => name.startsWith('assets/'))
                .sort();
            const version = createHash('sha256').update(assets.join('\n')).digest('hex').slice(0, 12);
            worker.code = worker.code
                .replace('__ASSETS__', () => JSON.stringify(assets))
                .replace('__VERSION__', () => JSON.stringify(version));
        },
        closeBundle: () => compress(folder),
    };
}

function compress(folder: string): void {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const path = join(folder, name);
        if (!TEXT.has(extname(name)) || !statSync(path).isFile()) continue;
        const bytes = readFileSync(path);
        if (bytes.length < LEAST) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    }
}
