import type { Locator, Page } from '@playwright/test';
import { expect, type App } from './app';
import type { Daemon } from './daemon';
import { visit } from './pages';

/** The page of a team in the words of those who use it. */
export class TeamPage {
    readonly page: Page;

    constructor(readonly app: App) {
        this.page = app.page;
    }

    async open(team: string): Promise<void> {
        await visit(this.page, `/app/teams/${team}`);
    }

    column(title: string): Locator {
        return this.page.getByRole('region', { name: new RegExp(`^${title}`) });
    }

    card(task: string): Locator {
        return this.page.locator(`[data-task="${task}"]`);
    }

    /** Shows a column on a phone; a desk shows all of them. */
    async choose(title: string): Promise<void> {
        const tab = this.page
            .getByRole('group', { name: 'Columns' })
            .getByRole('button', { name: new RegExp(`^${title}`) });
        if (await tab.isVisible()) await tab.click();
    }

    /** Expects so many tasks in a column. */
    async expectIn(title: string, count: number): Promise<void> {
        await this.choose(title);
        await expect(this.column(title).locator('[data-task]')).toHaveCount(count, { timeout: 20_000 });
    }

    async create(title: string, deps: readonly string[], resource: string): Promise<void> {
        await this.page.getByRole('button', { name: 'New task' }).click();
        const form = this.page.getByRole('dialog', { name: 'New task' });
        await form.getByRole('textbox', { name: /^Title/ }).fill(title);
        for (const dep of deps) {
            await form.getByLabel(/^Depends on/).fill(dep);
            await form.getByLabel(/^Depends on/).press('Enter');
            await expect(form.getByRole('list', { name: 'Dependencies' })).toContainText(dep);
        }
        await form.getByRole('textbox', { name: /^Resources/ }).fill(resource);
        await form.getByRole('button', { name: 'Create task' }).click();
        await expect(form).toHaveCount(0);
    }

    /** Opens the menu of a task and chooses something there. */
    async act(task: string, action: string): Promise<void> {
        await this.card(task)
            .getByRole('button', { name: `Actions for ${task}` })
            .click();
        await this.page.getByRole('menuitem', { name: action, exact: true }).click();
    }

    /** Gives a task to a member. */
    async assign(task: string, member: string): Promise<void> {
        await this.act(task, 'Assign to…');
        await this.page.getByRole('menuitemradio', { name: member, exact: true }).click();
    }
}

/** A member elsewhere: it speaks the teamd protocol, and tries again while the daemon is away. */
export class Member {
    private constructor(
        private readonly daemon: Daemon,
        private readonly team: string,
        private readonly id: string,
        private readonly token: string,
    ) {}

    static async of(daemon: Daemon, team: string, id: string): Promise<Member> {
        const all = JSON.parse(await daemon.paseo('team', 'env', team, '--agent', id, '--json')) as Record<
            string,
            string
        >;
        return new Member(daemon, team, id, all['PI_TEAMD_TOKEN'] ?? '');
    }

    /** Claims a task as soon as that is possible. Returns the epoch of the lease. */
    async claim(task: string): Promise<number> {
        for (;;) {
            const answer = await this.ask(task, 'claim', {});
            if (answer.ok) return ((await answer.json()) as { lease: { epoch: number } }).lease.epoch;
            await expect.poll(() => this.status(task)).not.toBe('blocked');
        }
    }

    async complete(task: string, epoch: number): Promise<void> {
        const answer = await this.ask(task, 'complete', { epoch });
        // It may have been stored before the daemon went away.
        if (!answer.ok) expect(await this.status(task)).toBe('completed');
    }

    private async status(task: string): Promise<string> {
        const answer = await this.fetch(`/v1/tasks/${task}?teamId=${this.team}`, {});
        return ((await answer.json()) as { task: { status: string } }).task.status;
    }

    private ask(task: string, act: string, body: object): Promise<Response> {
        return this.fetch(`/v1/tasks/${task}/${act}`, {
            method: 'POST',
            body: JSON.stringify({ teamId: this.team, agentId: this.id, ...body }),
        });
    }

    private async fetch(path: string, init: RequestInit): Promise<Response> {
        const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
        let answer: Response | undefined;
        await expect
            .poll(
                async () => {
                    answer = await fetch(`${this.daemon.url}${path}`, { ...init, headers }).catch(
                        () => undefined,
                    );
                    return answer !== undefined && answer.status < 500;
                },
                { timeout: 30_000 },
            )
            .toBe(true);
        if (!answer) throw new Error('no answer');
        return answer;
    }
}

/** Makes a team with tasks by the API. */
export async function team(daemon: Daemon, id: string, tasks: readonly object[]): Promise<void> {
    const headers = { Authorization: `Bearer ${await daemon.secret()}`, 'Content-Type': 'application/json' };
    const post = async (path: string, body: object) => {
        const answer = await fetch(`${daemon.url}${path}`, {
            method: 'POST',
            headers,
            body: JSON.stringify(body),
        });
        if (!answer.ok) throw new Error(await answer.text());
    };
    await post('/api/teams', { id, directory: daemon.work });
    for (const task of tasks) await post(`/api/teams/${id}/tasks`, task);
}
