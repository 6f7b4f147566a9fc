import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Daemon } from '../../../tests/daemon.js';

const run = promisify(execFile);
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let daemon: Daemon;

beforeAll(async () => {
    daemon = await Daemon.start();
});

afterAll(() => daemon.stop());

/** Runs an example as a reader would, with the package as it is built. Returns what it printed. */
async function printed(program: string, file: string): Promise<string> {
    const env = { ...daemon.environment, PASEO_URL: daemon.url, PASEO_TOKEN: await daemon.secret() };
    const { stdout } = await run(program, [file], { cwd: daemon.work, env });
    return stdout.trimEnd();
}

/** Returns the only block in a language of a page. */
async function block(page: string, language: string): Promise<string> {
    const pattern = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
    const blocks = [...(await readFile(page, 'utf8')).matchAll(pattern)];
    expect(blocks.length).toBe(1);
    return blocks[0]?.[1] ?? '';
}

test.each([
    { page: '../../README.md', name: 'hello', expected: /^You said: Say hello$/ },
    {
        page: '../../../../docs/clients.md',
        name: 'answer',
        expected:
            /^answer: Good morning to you\nturn: completed\n(session: [0-9a-f]{4,} idle\n)+refused: 404 not_found$/,
    },
])('the example of $page runs, and the compiler checks it', async ({ page, name, expected }) => {
    const code = await block(at(page), 'ts');
    expect(code).toBe(await readFile(at(`../../examples/${name}.ts`), 'utf8'));
    // It has no types of its own, so it is JavaScript as well.
    const file = at(`../../dist/${name}.mjs`);
    await writeFile(file, code);
    expect(await printed(process.execPath, file)).toMatch(expected);
});

test('the example in Python runs', async ({ skip }) => {
    const python = await run('python3', ['--version']).catch((error: unknown) => error);
    skip(python instanceof Error && !process.env['CI'], 'there is no python3');
    const file = join(daemon.work, 'example.py');
    await writeFile(file, await block(at('../../../../docs/clients.md'), 'python'));
    expect(await printed('python3', file)).toMatch(
        /^answer: Attached: notes.txt .*\nanswer: You said: Read this\nturn: completed\n(session: .*\n)+refused: 404 not_found$/,
    );
});
