import { defineConfig } from 'vitest/config';

const source = {
    resolve: { conditions: ['paseo-source'] },
    ssr: { resolve: { conditions: ['paseo-source'] } },
};

export default defineConfig({
    test: {
        projects: [
            { ...source, test: { name: 'units', include: ['test/*.test.ts'] } },
            // These run the binary that PASEO_BIN names.
            {
                ...source,
                test: {
                    name: 'daemon',
                    include: ['test/daemon/*.test.ts'],
                    testTimeout: 60_000,
                    hookTimeout: 60_000,
                },
            },
        ],
    },
});
