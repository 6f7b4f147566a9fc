/** The terminal emulator. Only what shows a terminal loads this file, and xterm with it. */
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { fitted, READABLE, roomFor, type Box, type Cell } from './fit';
import { showHidden } from './hidden';
import { bytesOf } from './keys';
import { openUnderPolicy } from './policy';
import type { Size } from './protocol';
import { rowsOf, wheel, type Point } from './swipe';
import { Turns } from './turns';

const FONT =
    "ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace";
/** Lines above the screen of a shell that can be scrolled to. */
const SCROLLBACK = 5000;
/** A row is at least so many pixels to a finger. */
const FINGER = 12;
/** Switch the mouse on: 1000, 1002, 1003, 1006. While watching, the mouse selects text. */
const MOUSE = new Set([1000, 1002, 1003, 1006]);

/** Programs are written for dark terminals; these colours have contrast there, whatever the theme of the app. */
const THEME = {
    background: '#141311',
    foreground: '#ebe6dc',
    cursor: '#83cbc2',
    cursorAccent: '#141311',
    selectionBackground: '#3f4a48',
    black: '#2b2824',
    red: '#f4a193',
    green: '#9bce90',
    yellow: '#dcc76a',
    blue: '#9dc4ea',
    magenta: '#dda6d3',
    cyan: '#83cbd2',
    white: '#d6d0c4',
    brightBlack: '#9a9284',
    brightRed: '#ffb7aa',
    brightGreen: '#b5e3ab',
    brightYellow: '#f0dd8c',
    brightBlue: '#bcd9f5',
    brightMagenta: '#efc2e7',
    brightCyan: '#a5e0e5',
    brightWhite: '#fffefb',
};

/** All terminals of the page. */
const turns = new Turns<Emulator>();

export interface Events {
    /** A person typed, or the emulator answers a question. */
    onkeys(text: string): void;
    /** A report of the mouse that is no text. */
    onbytes(bytes: Uint8Array): void;
    onpaste(text: string): void;
    /** The keyboard is to leave the terminal. */
    onescape(): void;
}

/** One emulator in the page. */
export class Emulator {
    private readonly terminal: Terminal;
    private holding = false;
    /** Pixels of a swipe that are not a row yet. */
    private swiped = 0;

    constructor(
        private readonly parent: HTMLElement,
        private readonly events: Events,
        /** No tmux is between it and the program: it keeps the lines above the screen, and pastes by itself. */
        own: boolean,
    ) {
        this.terminal = new Terminal({
            allowProposedApi: true,
            scrollback: own ? SCROLLBACK : 0,
            // What is printed leads nowhere.
            linkHandler: { activate: () => {} },
            fontFamily: FONT,
            fontSize: READABLE,
            theme: THEME,
            minimumContrastRatio: 4.5,
            cursorInactiveStyle: 'outline',
            disableStdin: true,
        });
        this.terminal.loadAddon(new Unicode11Addon());
        // As tmux counts: else the rest of a line with an emoji would be a cell off.
        this.terminal.unicode.activeVersion = '11';
        openUnderPolicy(this.terminal, parent);
        showHidden(this.terminal);
        this.terminal.textarea?.setAttribute('aria-label', 'Terminal');
        this.terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (parameters) =>
            parameters.some((one) => typeof one === 'number' && MOUSE.has(one) && !this.holding),
        );
        this.terminal.onData((text) => {
            if (this.holding) events.onkeys(text);
        });
        this.terminal.onBinary((text) => {
            if (this.holding) events.onbytes(bytesOf(text));
        });
        this.terminal.attachCustomKeyEventHandler((event) => {
            // While watching, keys are the page's: Tab goes on, and shortcuts work.
            if (!this.holding) return false;
            if (event.key === 'Escape' && event.shiftKey) {
                if (event.type === 'keydown') events.onescape();
                return false;
            }
            if (event.key === 'Enter' && event.shiftKey && event.type === 'keydown') {
                // What terminals send for it by themselves never passes tmux.
                event.preventDefault();
                events.onkeys('\x1b\r');
                return false;
            }
            // What the page would take for a shortcut is for the program.
            event.stopPropagation();
            return true;
        });
        // A wheel that the program does not ask for would press arrow keys.
        if (!own) this.terminal.attachCustomWheelEventHandler(() => this.tracks);
        parent.addEventListener(
            'paste',
            (event) => {
                event.preventDefault();
                event.stopPropagation();
                const text = event.clipboardData?.getData('text/plain') ?? '';
                if (this.holding && own) this.terminal.paste(text);
                else if (this.holding) events.onpaste(text);
            },
            { capture: true },
        );
    }

    /** Begins a new screen. */
    begin(size: Size, holding: boolean, typing: boolean): void {
        turns.flush(this);
        this.holding = holding;
        this.terminal.options.disableStdin = !(holding && typing);
        this.terminal.options.cursorBlink = holding;
        this.terminal.reset();
        this.terminal.resize(size.cols, size.rows);
    }

    resize(size: Size): void {
        this.terminal.resize(size.cols, size.rows);
    }

    write(bytes: Uint8Array, parsed: () => void): void {
        turns.take(this, () => this.terminal.write(bytes, parsed), this.holding);
    }

    focus(): void {
        this.terminal.focus();
    }

    /** Scrolls the program by pixels, at a point of the window, if it asks for the mouse. */
    scroll(pixels: number, at: Point): void {
        const box = this.parent.querySelector('.xterm-screen')?.getBoundingClientRect();
        if (!box || !this.tracks) return;
        const { cols, rows } = this.terminal;
        const passed = rowsOf(this.swiped + pixels, Math.max(FINGER, box.height / rows));
        this.swiped = passed.rest;
        const cell = (part: number, cells: number): number =>
            Math.min(cells, Math.max(1, Math.ceil(part * cells)));
        const report = wheel(
            passed.rows > 0,
            cell((at.x - box.left) / box.width, cols),
            cell((at.y - box.top) / box.height, rows),
        );
        if (passed.rows !== 0) this.events.onkeys(report.repeat(Math.abs(passed.rows)));
    }

    /** The program asks for the mouse, and a person has the keyboard. */
    get tracks(): boolean {
        return this.holding && this.terminal.modes.mouseTrackingMode !== 'none';
    }

    /** Makes all of the terminal fit into a box, down to what can still be read; 1 is the size to type at. */
    show(box: Box, fits: boolean): void {
        const size = { cols: this.terminal.cols, rows: this.terminal.rows };
        const wanted = fits ? fitted(box, size, this.cell()) : READABLE;
        if (this.terminal.options.fontSize !== wanted) this.terminal.options.fontSize = wanted;
    }

    /** Returns how many columns and rows have room in a box, at the size to type at. */
    room(box: Box): Size {
        return roomFor(box, this.cell());
    }

    dispose(): void {
        turns.flush(this);
        this.terminal.dispose();
        this.parent.replaceChildren();
    }

    /** Returns how large a cell is at the size to type at. */
    private cell(): Cell {
        const { cols, rows } = this.terminal;
        const screen = this.parent.querySelector<HTMLElement>('.xterm-screen');
        const scale = READABLE / (this.terminal.options.fontSize ?? READABLE);
        if (!screen || screen.offsetWidth === 0) return { width: READABLE * 0.6, height: READABLE * 1.2 };
        return { width: (screen.offsetWidth / cols) * scale, height: (screen.offsetHeight / rows) * scale };
    }
}
