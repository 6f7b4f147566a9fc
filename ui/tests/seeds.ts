import { expect } from './app';
import type { Daemon } from './daemon';
import { seedTogether } from './openedTogether';
import { remember } from './settings';

/** Makes what can only be opened if it is there, beside what the pages show. */
export async function seedOpened(daemon: Daemon): Promise<void> {
    await seedTogether(daemon);
    await daemon.paseo('providers', 'add', 'helper', '--', '/bin/cat', '--acp');
    await daemon.project('helper.md', '---\nname: Helper\ntools: [read]\n---\nHelp.\n');
    await daemon.paseo('agents', 'trust', '--yes', '--project', daemon.work);
    const labels = Array.from({ length: 8 }, (_, at) => ['--label', `l${at}=x`]).flat();
    await daemon.agent('labeled', '<<say hi>>', ...labels);
    await daemon.paseo('settings', 'set', 'perm_send_to_tab', 'on');
    const busy = (await daemon.listed()).find(({ name }) => name === 'busy')!;
    const words = JSON.stringify({ tab_id: busy.handle, message: 'from a peer' });
    await daemon.paseo('run', '-d', '--title', 'sender', `<<tool send_to_tab ${words}>>`);
    await expect.poll(async () => daemon.paseo('queue', busy.handle)).toContain('from a peer');
    await daemon.paseo('token', 'create', '--name', 'ci', '-q');
    await remember(daemon, 'echo one', 'allow');
    // Last: whoever is started in a repository works in a worktree.
    await daemon.repository();
    const spike = await daemon.paseo(
        'run',
        '-d',
        '--worktree=spike',
        '<<sh echo hello \\> new.txt>><<say done>>',
    );
    await daemon.paseo('wait', spike);
}
