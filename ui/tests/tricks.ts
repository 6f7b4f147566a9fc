import type { Daemon } from './daemon';

/** What text of others may try, by what it tries. */
export const TRICKS = {
    markup: '<img src=x onerror=alert(1)><script>alert(2)</script><style>*{display:none}</style>',
    reversed: 'invoice\u202egnp.exe\u2066x\u2069',
    unseen: 'pay\u200bpal\u00ad\ufeff\u061c\u180e\u2060\u2063',
    endless: 'W'.repeat(400),
    stacked: 'Z' + '\u0336\u0321\u0322\u030d\u030e\u0304'.repeat(12) + 'algo',
    link: '[click](javascript:alert(3)) [data](data:text/html,x) <a href="javascript:alert(4)">x</a> ![i](https://example.org/x.png)',
} as const;
/** Only what the command line can take as an argument. */
export const EVIL = Object.values(TRICKS).join(' ');
/** Short enough for a name, which the daemon limits. */
export const NAME = `${TRICKS.markup.slice(0, 28)}${TRICKS.reversed}${TRICKS.unseen}${'W'.repeat(31)}`;
/** The daemon refuses what is hidden in the name of a thread. */
export const THREAD = `<img src=x onerror=alert(1)>${'W'.repeat(60)}`;
/** A word that programs choose: of a model, an effort, a command. */
export const ODD = `x${TRICKS.reversed}${TRICKS.unseen}`;
/** As a script says it. */
export const scripted = (text: string) => text.replaceAll('>', '\\>');

export async function seed(daemon: Daemon): Promise<void> {
    await daemon.write('x\u202egnp.exe <img src=x onerror=alert(5)>.md', `${EVIL}\n`);
    await daemon.define(
        'odd',
        `name = "odd \u202e ${'W'.repeat(40)}"
description = "<b>\u202e${'W'.repeat(300)}"
provider = 'scripted'
tools = ['bash']
`,
    );
    const todos = JSON.stringify([{ content: EVIL, status: 'in_progress' }]).replaceAll('>', '\\u003e');
    const steps = [
        `<<say ${scripted(EVIL)}\n\n\`\`\`js\n${scripted(EVIL)}\n\`\`\`\n\n| a |\n|---|\n| ${scripted(TRICKS.endless)} |>>`,
        `<<sh printf '%s\\0\\033[2K\\r' '${scripted(EVIL.replaceAll("'", ''))}'; exit 3>>`,
        `<<tool todo {"todos":${todos}}>>`,
    ];
    await daemon.project('x\u202egnp.md', `---\nname: x\u202e\n---\n${EVIL}\n`);
    await daemon.project('helper.md', `---\nname: x\u202e\ndescription: ${TRICKS.reversed}\n---\n${EVIL}\n`);
    await daemon.paseo('token', 'create', '--name', TRICKS.reversed, '-q');
    const labels = ['--label', `odd=\u202e${'W'.repeat(40)}`, '--label', `k\u202ey=x`];
    await daemon.write('steps', steps.join(''));
    await daemon.paseo('team', 'create', 'odd', '--agent', 'ann:leader');
    await daemon.paseo(
        'task',
        'create',
        NAME,
        '--description',
        EVIL,
        '--resource',
        `x\u202e${'W'.repeat(200)}`,
    );
    await daemon.paseo('task', 'create', NAME, '--dep', 'task-0001', '--resource', '.');
    await daemon.agent(NAME, EVIL, ...labels, '--agent', 'odd', '--model', 'steps');
    await daemon.agent(`asks ${NAME}`, `<<ask ${scripted(EVIL)}>>`, ...labels);
    await daemon.paseo('thread', 'new', THREAD);
    await daemon.paseo('thread', 'invite', THREAD, 'scripted', '--id', 'w'.repeat(30), '--nickname', 'Odd');
    await daemon.paseo('thread', 'post', THREAD, EVIL);
    await daemon.paseo('thread', 'post', THREAD, `@Odd <<say ${scripted(EVIL)}>>`);
    const bar = (text: string) => scripted(text.replaceAll('|', '/'));
    const options = [`${TRICKS.markup}: ${TRICKS.link}`, TRICKS.reversed, TRICKS.endless].map(bar);
    await daemon.agent(
        `chooses ${NAME}`,
        `<<choose ${bar(EVIL)} | ${options.join(' | ')} || ${bar(TRICKS.unseen)}* | ${bar(TRICKS.stacked)}>>`,
    );
    await daemon.agent(
        `plans ${NAME}`,
        `<<plan # ${scripted(EVIL)}\n\n1. ${scripted(EVIL)}\n\n[ok](https://example.org) <${'mailto:a@example.org'}\>>>`,
    );
    await daemon.editor('odd', ODD);
    await daemon.agent(`offers ${NAME}`, `<<offer ${ODD}: ${bar(EVIL)} | preview>>`);
    await daemon.agent(`fails ${NAME}`, `<<fail ${scripted(EVIL)}>>`, '--permissions', 'ask');
}
