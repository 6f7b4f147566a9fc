import { test as base, expect } from '@playwright/test';
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Daemon } from '../tests/daemon';

const run = promisify(execFile);

/** The script that the next agent follows: a file of the project that git ignores. */
const SCRIPT = 'demo';

/** A small project with a mistake, and a test that finds it. */
const FILES: Record<string, string> = {
    'src/greet.sh': '#!/bin/sh\n# Greets a person.\necho "Helo, ${1:-world}!"\n',
    'tests/greet.sh':
        '#!/bin/sh\nsaid=$(sh src/greet.sh Ada)\nif [ "$said" = "Hello, Ada!" ]; then\n  echo "ok: greets a person"\nelse\n  echo "FAILED: expected Hello, got $said"\n  exit 1\nfi\n',
    'CHANGELOG.md': '# Changelog\n\n## 1.1.0\n\n- Greets by name.\n',
    Makefile: 'test:\n\t@sh tests/greet.sh\n',
};

/** A daemon, a project, and agents that act as their scripts say. */
export class Stage {
    private constructor(readonly daemon: Daemon) {}

    static async set(): Promise<Stage> {
        const daemon = await Daemon.start('greet');
        await run('git', ['init', '--quiet', '--initial-branch', 'main', daemon.work]);
        for (const [name, text] of Object.entries(FILES)) {
            await mkdir(dirname(join(daemon.work, name)), { recursive: true });
            await daemon.write(name, text);
        }
        await daemon.write('.git/info/exclude', `${SCRIPT}\n`);
        const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
        await run('git', ['-C', daemon.work, 'add', '.']);
        await run('git', ['-C', daemon.work, ...who, 'commit', '--quiet', '--message', 'Greet by name']);
        const stage = new Stage(daemon);
        await stage.direct();
        return stage;
    }

    /** Makes agents that are started without a definition act as scripts say: what is typed is what a person would type. */
    private async direct(): Promise<void> {
        await this.next('<<say Hello.>>');
        await this.daemon.define('default', `provider = "scripted"\nmodel = "${SCRIPT}"\n`);
    }

    /** Waits until an agent has run its first command: from then on it no longer reads the script. */
    async begun(handle: string): Promise<void> {
        await expect.poll(() => this.daemon.paseo('logs', handle)).toContain('Run ');
    }

    /** Says what the next agent does. */
    next(script: string): Promise<void> {
        return this.daemon.write(SCRIPT, script);
    }

    async strike(): Promise<void> {
        await this.daemon.stop();
    }
}

/** A picture has a stage, which is struck even if the picture takes too long. */
export const test = base.extend<{ stage: Stage }>({
    stage: async ({}, use) => {
        const stage = await Stage.set();
        await use(stage);
        await stage.strike();
    },
});
