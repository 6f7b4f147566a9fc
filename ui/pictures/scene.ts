import { expect } from '@playwright/test';
import type { Stage } from './stage';

/** What the agents do. */
const FIX = `
<<think The test names the greeting. Run it, then look for the word.>>
<<tool todo {"todos": [
  {"content": "Reproduce the failure", "status": "completed", "priority": "high"},
  {"content": "Fix the greeting", "status": "completed", "priority": "high"},
  {"content": "Run the tests again", "status": "completed", "priority": "medium"}]}>>
<<sh make test>>
<<sh sed -i 's/Helo/Hello/' src/greet.sh>>
<<sh make test>>
<<say The greeting in \`src/greet.sh\` was **misspelt**, and the test compares it word for word.

| file | change |
|---|---|
| \`src/greet.sh\` | \`Helo\` is now \`Hello\` |

\`\`\`sh
make test   # ok: greets a person
\`\`\`

Nothing else depends on the spelling, so no other file changes.>>`;
const CHANGELOG = `
<<sh git log --oneline>>
<<say I compare the commits since 1.1.0 with \`CHANGELOG.md\`.>>
<<hang>>`;
const RELEASE = '<<sh git tag 1.2.0>> <<ask May I run git push origin 1.2.0?>> <<say Pushed the tag.>>';
const BUILD = '<<sh cat Makefile>> <<say `make test` runs `tests/greet.sh`. There is nothing to compile.>>';
const TRANSLATE = '<<sh ls src>> <<fail The model server did not answer.>>';
const REVIEW = '<<sh cat src/greet.sh>> <<say No objections: the change is one word, and it is tested.>>';

/** Has the agents of all pictures do their work. */
export async function play(stage: Stage): Promise<void> {
    const { daemon } = stage;
    await daemon.paseo('settings', 'set', 'perm_todo', 'on');
    const started: [string, string, string, string][] = [
        ['Explain the build', BUILD, 'idle', 'How is this project built?'],
        ['Translate the greeting', TRANSLATE, 'error', 'Greet in French, too.'],
        ['Review the greeting', REVIEW, 'idle', 'Is this change right?'],
        ['Bring the changelog up to date', CHANGELOG, 'running', 'Bring the changelog up to date.'],
        ['Release 1.2.0', RELEASE, 'waiting', 'Tag version 1.2.0 and push the tag.'],
        ['Fix the failing test', FIX, 'idle', 'Why does the test fail? Fix it.'],
    ];
    for (const [title, script, status, prompt] of started) {
        await stage.next(script);
        const handle = await daemon.agent(title, prompt, '--no-worktree');
        await stage.begun(handle);
        await expect.poll(async () => (await daemon.inspect(handle)).status).toBe(status);
    }
}
