import { expect } from '@playwright/test';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { test as staged } from './stage';
import { draw } from './svg';
import { Terminal } from './terminal';

const SIZE = { columns: 94, rows: 40 };

/** What the agents do. */
const FIX = `
<<sh make test>>
<<sh sed -i 's/Helo/Hello/' src/greet.sh>>
<<sh make test>>
<<say The greeting in \`src/greet.sh\` was **misspelt**: \`Helo\` for \`Hello\`. It is fixed, and \`make test\` passes.>>`;
const CHANGELOG = '<<sh git log --oneline>> <<hang>>';
const RELEASE = '<<sh git tag 1.2.0>> <<ask May I run git push origin 1.2.0?>> <<say Pushed the tag 1.2.0.>>';

const test = staged.extend<{ terminal: Terminal }>({
    terminal: async ({ stage: { daemon } }, use) => {
        const terminal = await Terminal.open(dirname(daemon.work), SIZE, daemon.environment);
        await use(terminal);
        await terminal.close();
    },
});

test('the command line', async ({ stage, terminal }) => {
    const { daemon } = stage;
    await terminal.type(`cd ${daemon.work}; clear`);
    await stage.next(FIX);
    await terminal.type('paseo run "Why does the test fail?"');
    await stage.next(CHANGELOG);
    await terminal.type('paseo run -d --title changelog "Bring the changelog up to date"');
    await stage.begun((await daemon.paseo('ls', '-q')).split('\n')[0] ?? '');
    await stage.next(RELEASE);
    await terminal.type('paseo run -d --title release "Tag version 1.2.0 and push the tag"');
    const [release = ''] = (await daemon.paseo('ls', '-q')).split('\n');
    await expect.poll(async () => (await daemon.inspect(release)).status).toBe('waiting');
    await terminal.type('paseo ls');
    const request = await daemon.paseo('permit', 'ls', '-q');
    await terminal.type(`paseo permit allow ${request.slice(0, 8)}`);
    await terminal.type(`paseo wait ${release}`);
    await terminal.type(`paseo read ${release}`);
    const title = 'Agents on the command line';
    await writeFile('../docs/pictures/terminal.svg', draw(await terminal.screen(), SIZE.columns, title));
});
