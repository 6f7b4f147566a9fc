import { expect, type Locator, type Page } from '@playwright/test';
import { Meter, pass } from './stopwatch';

/** How long somebody looks before they do the next thing. */
const LOOK_MS = 1000;

/** What there is to see. */
interface Sights {
    /** Agents with long transcripts, and how many items those have. */
    readonly long: readonly string[];
    readonly items: number;
    /** Agents that work all the time. */
    readonly talkers: readonly string[];
}

/** What a visitor did, until when. */
interface Done {
    readonly what: string;
    readonly until: number;
}

/** One who walks through the app in a browser of their own, without loading the page again. */
export class Visitor {
    /** What went wrong: on the page, or with what was to be seen. */
    readonly complaints: string[] = [];
    acts = 0;
    private readonly done: Done[] = [];

    private constructor(
        private readonly page: Page,
        private readonly number: number,
        private readonly sights: Sights,
        private readonly meter: Meter,
    ) {
        page.on('pageerror', (error) => this.complaints.push(`browser ${number}: ${error}`));
        page.on('crash', () => this.complaints.push(`browser ${number}: the page crashed`));
    }

    static async enter(page: Page, number: number, sights: Sights): Promise<Visitor> {
        return new Visitor(page, number, sights, await Meter.of(page));
    }

    /** Does one thing after the other, until a time. */
    async walk(until: number): Promise<void> {
        const ways = [this.inbox, this.longAgent, this.list, this.talker, this.search, this.settings];
        while (Date.now() < until) {
            // Everybody is somewhere else.
            const way = ways[(this.acts + this.number) % ways.length]!;
            this.acts += 1;
            try {
                await way.call(this);
                await pass(LOOK_MS);
            } catch (error) {
                this.complaints.push(`browser ${this.number}, ${way.name}: ${String(error)}`);
            }
            this.done.push({ what: way.name, until: Date.now() });
        }
    }

    /** Returns what the page holds on to, at a place that is the same each time. */
    async heap(): Promise<number> {
        await this.settings();
        return this.meter.heap();
    }

    /** Returns the longest task of the page, and what was done then. */
    async longest(): Promise<{ longest: number; doing: string }> {
        const tasks = await this.page.evaluate(() => window.probe.tasks);
        const longest = tasks.reduce((one, other) => (other.value > one.value ? other : one), {
            value: 0,
            at: 0,
        });
        const doing = this.done.find(({ until }) => until >= longest.at)?.what ?? 'settings';
        return { longest: longest.value, doing };
    }

    private async inbox(): Promise<void> {
        await this.section(/^Inbox/).click();
        const cards = this.page.getByRole('region', { name: 'Needs you' }).getByRole('listitem');
        await expect(cards.first()).toBeVisible();
        await this.scroll(3);
    }

    private async list(): Promise<void> {
        await this.section(/^Agents$/).click();
        await expect(this.page.locator('[data-agent]').first()).toBeVisible();
        await this.scroll(3);
    }

    /** Opens an agent with a long transcript, jumps to its middle, reads there, and goes back to its end. */
    private async longAgent(): Promise<void> {
        const { long, items } = this.sights;
        const place = 1000 * (1 + ((this.acts * 37 + this.number) % (items / 1000 - 1)));
        await this.open(long[this.acts % long.length]!);
        await expect(this.answer(`Part ${items}`)).toBeVisible();
        await this.page.getByRole('button', { name: 'Find in this conversation' }).click();
        const find = this.page.getByRole('textbox', { name: 'Find in this conversation' });
        await find.fill(`part ${place}`);
        await expect(this.page.locator('#panel-main').getByRole('search').getByRole('status')).toHaveText(
            '1',
        );
        await find.press('Enter');
        await expect(this.answer(`Part ${place}`)).toBeInViewport();
        await this.scroll(-3);
        await this.page.getByRole('button', { name: 'Latest' }).click();
        await expect(this.answer(`Part ${items}`)).toBeVisible();
    }

    private async talker(): Promise<void> {
        const { talkers } = this.sights;
        await this.open(talkers[this.acts % talkers.length]!);
        await expect(this.page.locator('li[data-kind="answer"]').last()).toBeVisible();
        await pass(3 * LOOK_MS);
    }

    private async search(): Promise<void> {
        await this.section(/^Search$/).click();
        await this.page
            .getByRole('searchbox')
            .first()
            .fill(`part ${10 * (1 + this.acts)}`);
        await expect(this.page.getByRole('main').getByRole('listitem').first()).toBeVisible();
    }

    private async settings(): Promise<void> {
        await this.section(/^Settings$/).click();
        await expect(this.page).toHaveURL(/\/app\/settings/);
        await expect(this.page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible();
    }

    private async open(agent: string): Promise<void> {
        await this.section(/^Agents$/).click();
        await this.page.locator(`[data-agent="${agent}"]`).click();
    }

    private async scroll(by: number): Promise<void> {
        for (let step = 0; step < Math.abs(by); step++) {
            await this.page.mouse.move(640, 500);
            await this.page.mouse.wheel(0, Math.sign(by) * 600);
            await pass(LOOK_MS / 4);
        }
    }

    private answer(text: string): Locator {
        return this.page.locator('li[data-kind="answer"]').filter({ hasText: text }).last();
    }

    private section(name: RegExp): Locator {
        return this.page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name });
    }
}
