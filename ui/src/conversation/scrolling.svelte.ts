import { tick } from 'svelte';
import { Anchor, isAtEnd } from '../lib/scroll';
import { highlight } from '../lib/highlight';

/** How far from an end the next page is read. */
const NEAR = 600;
/** How much of the screen may stay empty below the end. */
const MOST_ROOM = 0.5;

/** What is read page by page in both directions: a transcript, a thread. */
export interface Paged {
    readonly rows: readonly { readonly key: string }[];
    readonly older: boolean;
    readonly newer: boolean;
    /** The reader looks at the end. */
    following: boolean;
    /** Reads the newest page. */
    load(): Promise<void>;
    loadOlder(): Promise<void>;
    loadNewer(): Promise<void>;
}

/**
 * Where the reader of a transcript is. Text never moves under their eyes: older pages appear above without a jump, the
 * view follows the end only if the reader is there, and what becomes shorter at the end leaves room for what comes next.
 */
export class Scrolling {
    following = $state(true);
    private scroller: HTMLElement | undefined;
    private room: HTMLElement | undefined;
    private paging = false;
    /** How far the reader has scrolled, and how much of the transcript they see. */
    private top = 0;
    private height = 0;

    constructor(private readonly transcript: Paged) {}

    /** Takes over an element: its first child is the transcript, its last the room below the end. */
    readonly attach = (scroller: HTMLElement): (() => void) => {
        this.scroller = scroller;
        this.room = scroller.lastElementChild as HTMLElement;
        const observer = new ResizeObserver(() => this.settle());
        observer.observe(scroller);
        // What grows by itself, such as a request whose answers come later, takes the room at once.
        const content = new ResizeObserver(() => this.fit());
        if (scroller.firstElementChild) content.observe(scroller.firstElementChild);
        return () => {
            observer.disconnect();
            content.disconnect();
        };
    };

    /** Something was added, removed or resized. */
    settle(): void {
        const { scroller } = this;
        if (!scroller) return;
        // What took room from a reader at the end leaves none below it.
        if (this.following) this.height = Math.min(this.height, scroller.clientHeight);
        this.fit();
        if (this.following) this.scrollTo(scroller.scrollHeight);
        // A page may hold little that is shown.
        if (this.transcript.older && scroller.scrollHeight < scroller.clientHeight + NEAR) this.onscroll();
    }

    readonly onscroll = (): void => {
        const { scroller, transcript } = this;
        if (!scroller) return;
        // The composer or a keyboard took room: that was not the reader.
        if (scroller.clientHeight !== this.height && this.following) this.scrollTo(scroller.scrollHeight);
        this.remember();
        this.fit();
        // Who was at the end stays there while it is caught up with; who comes from above reads on page by page.
        this.follow(isAtEnd(scroller) && (this.following || !transcript.newer));
        const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
        if (scroller.scrollTop < NEAR && transcript.older) void this.page(() => transcript.loadOlder());
        else if (transcript.newer && below < NEAR) void this.page(() => transcript.loadNewer());
    };

    readonly toEnd = async (): Promise<void> => {
        if (this.transcript.newer) await this.transcript.load();
        this.follow(true);
        await tick();
        [this.top, this.height] = [0, 0];
        this.settle();
    };

    /** Shows a row, with some words in it marked. */
    show(key: string, marked: string): void {
        const row = this.scroller?.querySelector<HTMLElement>(`li[data-key="${CSS.escape(key)}"]`);
        if (!row) return;
        highlight(row, marked);
        this.follow(false);
        row.scrollIntoView({ block: 'center', behavior: 'instant' });
        this.remember();
        // The next page may be due.
        this.onscroll();
    }

    private follow(following: boolean): void {
        this.following = following;
        this.transcript.following = following;
    }

    /** Leaves as much room below the end as keeps everything where the reader sees it. */
    private fit(): void {
        const { scroller, room } = this;
        if (!scroller || !room) return;
        const clamped = scroller.scrollTop < this.top && isAtEnd(scroller);
        const end =
            room.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
        const missing = this.top + this.height - end;
        const height = Math.max(0, Math.min(missing, scroller.clientHeight * MOST_ROOM));
        // Fractions of a pixel would add up to a movement.
        const before = room.getBoundingClientRect().height;
        if (Math.abs(height - before) >= 1) room.style.height = `${height}px`;
        if (clamped && !this.following) this.scrollTo(this.top);
    }

    private scrollTo(top: number): void {
        if (!this.scroller) return;
        this.scroller.scrollTop = top;
        this.remember();
    }

    private remember(): void {
        this.top = this.scroller?.scrollTop ?? 0;
        this.height = this.scroller?.clientHeight ?? 0;
    }

    /** Reads a page without moving what the reader looks at. */
    private async page(load: () => Promise<void>): Promise<void> {
        const { scroller } = this;
        if (this.paging || !scroller) return;
        this.paging = true;
        const before = this.edges();
        const loaded = load();
        const anchor = new Anchor(scroller);
        await loaded;
        anchor.moved(scroller);
        await tick();
        anchor.restore(scroller);
        this.remember();
        this.paging = false;
        // The next page may be due at once; but only what brought something is repeated.
        if (this.edges() !== before) this.onscroll();
    }

    private edges(): string {
        return `${this.transcript.rows[0]?.key} ${this.transcript.rows.at(-1)?.key}`;
    }
}
