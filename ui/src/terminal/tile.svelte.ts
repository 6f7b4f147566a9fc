import { unknown } from '../lib/never';
import { visibleLine } from '../lib/visible';
import { TerminalConnection, type Listener } from './connection';
import type { Emulator } from './emulator';
import type { Box } from './fit';
import type { Holder, Role, ScreenFrame, ServerFrame, Size, TerminalState } from './protocol';
import type { Point } from './swipe';

/** How long the daemon keeps the keyboard for who lost the connection. */
const RESUMED_WITHIN = 15_000;

/** How it stands with the connection: it is being made, it is there, it comes back by itself, or it does not. */
export type Phase = 'opening' | 'live' | 'lost' | 'over';

export interface Options {
    /** The route of the API that is its WebSocket. */
    readonly path: string;
    /** A person types in a field of the page, and not in the terminal. */
    readonly composes: boolean;
    /** It is the person's own shell: they alone type there, it has the size of the page, and no tmux redraws it. */
    readonly own: boolean;
    readonly onescape: () => void;
}

/** One terminal on the page: what the daemon says of it, and what a person does with it. */
export class Tile implements Listener {
    phase = $state<Phase>('opening');
    role = $state<Role>('view');
    holder = $state.raw<Holder | null>(null);
    state = $state.raw<TerminalState>();
    size = $state.raw<Size>({ cols: 160, rows: 48 });
    /** tmux does not answer. */
    stalled = $state(false);
    /** Why something was not done. */
    refused = $state('');
    /** Why it is over. */
    ended = $state('');
    /** All of the terminal is shown, however small. */
    fits = $state(true);
    readonly holds = $derived(this.role === 'hold');
    readonly heldByOther = $derived(this.holder !== null && !this.holder.you ? this.holder : null);
    /** What was held when the connection was lost, and when. */
    private lost = $state.raw<{ at: number; fitting: boolean }>();
    /** A person has the keyboard, or this one had it and will have it again. */
    readonly kept = $derived(this.holds || this.holder !== null || this.lost !== undefined);

    private emulator: Emulator | undefined;
    private readonly connection: TerminalConnection;
    private box: Box = { width: 0, height: 0 };
    /** The size to take over with, if it is to follow the page. */
    private fitting = false;
    private starting = 0;

    constructor(private readonly options: Options) {
        this.connection = new TerminalConnection(options.path, this);
    }

    /** Shows the terminal in an element of the page. */
    async start(parent: HTMLElement): Promise<void> {
        const turn = ++this.starting;
        const { Emulator } = await import('./emulator');
        if (turn !== this.starting) return;
        this.emulator = new Emulator(
            parent,
            {
                onkeys: (text) => this.connection.keys(text),
                onbytes: (bytes) => this.connection.bytes(bytes),
                onpaste: (text) => this.paste(text),
                onescape: this.options.onescape,
            },
            this.options.own,
        );
        this.phase = 'opening';
        this.ended = '';
        this.connection.open();
    }

    stop(): void {
        this.starting++;
        // A shell goes on for a while.
        if (this.holds && !this.options.own) this.connection.release();
        this.connection.close();
        this.emulator?.dispose();
        this.emulator = undefined;
        this.role = 'view';
        this.holder = null;
        this.lost = undefined;
    }

    /** Tries once more, after it was over. */
    again(): void {
        this.phase = 'opening';
        this.ended = '';
        this.connection.close();
        this.connection.open();
    }

    /** Takes over the keyboard. With `fit`, the terminal takes the size that has room here. */
    take(fit: boolean, force = false): void {
        this.refused = '';
        this.fitting = fit;
        this.connection.take(fit ? this.emulator?.room(this.box) : undefined, force);
    }

    release(): void {
        this.connection.release();
    }

    redraw(): void {
        this.connection.redraw();
    }

    keys(text: string): void {
        this.connection.keys(text);
    }

    paste(text: string): boolean {
        const pasted = this.connection.paste(text);
        this.refused = pasted ? '' : 'This text is too long to paste: at most 48 KB.';
        return pasted;
    }

    focus(): void {
        this.emulator?.focus();
    }

    /** The program scrolls by itself. */
    get scrolls(): boolean {
        return this.emulator?.tracks ?? false;
    }

    /** Scrolls the program by pixels, at a point of the window. */
    scroll(pixels: number, at: Point): void {
        this.emulator?.scroll(pixels, at);
    }

    /** The page has so much room for it. */
    resized(box: Box): void {
        this.box = box;
        if (!this.emulator || box.width === 0) return;
        if (this.options.own) this.fill(this.emulator);
        else if (this.holds && this.fitting) this.connection.resize(this.emulator.room(box));
        else this.show();
    }

    /** Shows all of it, or a part that can be read well. */
    zoom(fits: boolean): void {
        this.fits = fits;
        this.show();
    }

    onscreen(frame: ScreenFrame): void {
        const held = this.holds;
        this.phase = 'live';
        this.size = { cols: frame.cols, rows: frame.rows };
        this.role = frame.role;
        this.holder = frame.holder;
        this.stalled = false;
        this.emulator?.begin(this.size, this.holds, !this.options.composes);
        if (this.options.own && this.emulator) this.fill(this.emulator);
        else this.show();
        if (this.holds && !held && !this.options.composes) this.focus();
        const { lost } = this;
        this.lost = undefined;
        if (lost && !this.holds && Date.now() - lost.at < RESUMED_WITHIN) this.take(lost.fitting);
    }

    onbytes(bytes: Uint8Array, parsed: () => void): void {
        if (this.emulator) this.emulator.write(bytes, parsed);
        else parsed();
    }

    onframe(frame: Exclude<ServerFrame, ScreenFrame>): void {
        switch (frame.t) {
            case 'state':
                this.stalled = false;
                this.state = frame;
                break;
            case 'holder':
                this.holder = frame.holder;
                break;
            case 'refused':
                this.refused = visibleLine(frame.message);
                this.holder = frame.holder;
                break;
            case 'stalled':
                this.stalled = true;
                break;
            case 'end':
                this.ended = visibleLine(frame.message);
                break;
            default:
                unknown(frame, undefined);
        }
    }

    onlost(again: number | null): void {
        if (this.holds && !this.options.own) this.lost = { at: Date.now(), fitting: this.fitting };
        this.phase = again === null ? 'over' : 'lost';
        this.role = 'view';
        this.holder = null;
    }

    /** Gives a shell the size that has room here. */
    private fill(emulator: Emulator): void {
        if (this.phase !== 'live' || this.box.width === 0) return;
        this.size = emulator.room(this.box);
        emulator.resize(this.size);
        this.connection.resize(this.size);
    }

    private show(): void {
        if (this.box.width > 0) this.emulator?.show(this.box, this.fits && !(this.holds && this.fitting));
    }
}
