import { svelte } from '@sveltejs/vite-plugin-svelte';
import { shell } from './build/shell.ts';
import { defaultClientConditions, defineConfig, type ProxyOptions } from 'vite';

// For `npm run dev`: PASEO_URL is the daemon's address, PASEO_TOKEN a token made with `paseo token create`.
const daemon = process.env['PASEO_URL'] ?? 'http://127.0.0.1:6767';
const token = process.env['PASEO_TOKEN'];

// What the daemon sends with the page, so that `npm run preview` shows what it would refuse.
const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The pages of the settings, without the large ones and what other pages use. */
const SETTINGS = /src\/settings\/(?!definitions|devices|followed|order|Empty|Card|pages)/;

const api: ProxyOptions = {
    target: daemon,
    changeOrigin: true,
    configure: (proxy) => {
        proxy.on('proxyReq', (request) => {
            request.removeHeader('origin');
            if (token) request.setHeader('authorization', `Bearer ${token}`);
        });
    },
};

export default defineConfig({
    base: '/app/',
    plugins: [svelte(), shell()],
    // The client package as its source: nothing has to be built before.
    resolve: { conditions: ['paseo-source', ...defaultClientConditions] },
    // So that a worker can load parts of itself.
    worker: { format: 'es' },
    build: {
        target: 'es2022',
        // An inlined asset would be a `data:` URL, which the content security policy refuses.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rollupOptions: {
            input: { index: 'index.html', sw: 'src/worker/sw.ts' },
            output: {
                // The browser knows the service worker by its name.
                entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js'),
                // Pages of the settings are small, and share most of what they have: apart, many files would be
                // smaller than a packet, which is more to load for those who open two of them.
                codeSplitting: {
                    groups: [{ name: 'settings', test: SETTINGS, includeDependenciesRecursively: false }],
                },
            },
        },
    },
    server: { proxy: { '/api': api } },
    preview: { proxy: { '/api': api }, headers: { 'Content-Security-Policy': policy } },
});
