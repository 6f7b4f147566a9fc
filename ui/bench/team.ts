import { expect } from '@playwright/test';
import type { Daemon } from '../tests/daemon';
import { ask } from './world';

/** Of so many tasks, the last one depends on the first two. */
const GROUP = 5;

/** Makes a team with tasks, some of which depend on others, and workers that are ready. Returns the names of the workers. */
export async function makeTeam(daemon: Daemon, tasks: number, workers: number): Promise<string[]> {
    await daemon.paseo('team', 'create', 'red', '-C', daemon.work);
    for (let number = 1; number <= tasks; number++)
        await ask(daemon, 'POST', '/api/teams/red/tasks', {
            title: `Task ${number}`,
            resources: [`part-${number % 50}`],
            deps: number % GROUP === 0 ? [nameOf(number - 4), nameOf(number - 3)] : [],
        });
    const names: string[] = [];
    for (let number = 1; number <= workers; number++) {
        const { worker } = await ask<{ worker: { name: string } }>(daemon, 'POST', '/api/workers', {
            team: 'red',
            provider: 'scripted',
            task: '<<say ready>>',
        });
        names.push(worker.name);
    }
    for (const name of names)
        await expect
            .poll(async () => (await daemon.paseo('worker', 'capture', name)).includes('ready'), {
                timeout: 60_000,
            })
            .toBe(true);
    return names;
}

/** Returns another task in each round, of those that others depend on. */
export function claimable(round: number, tasks: number): string {
    return nameOf(1 + ((round * GROUP) % tasks));
}

function nameOf(number: number): string {
    return `task-${String(number).padStart(4, '0')}`;
}
