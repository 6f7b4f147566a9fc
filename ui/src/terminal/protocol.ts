/** The frames of `GET /api/workers/{worker}/terminal`, subprotocol `paseo.terminal.1`; docs/terminals.md describes them. */
export const PROTOCOL = 'paseo.terminal.1';

/** First byte of a binary frame: output of the terminal, or keys for it. */
export const BYTES = 0;

/** Most bytes of keys in one frame, and of a text that is pasted. */
export const MOST_KEYS = 4 * 1024;
export const MOST_PASTED = 48 * 1024;

/** Close codes after which there is nothing to come back to. */
export const REVOKED = 4401;
export const GONE = 4404;

export type Role = 'view' | 'hold';

export interface Holder {
    readonly who: string;
    readonly name: string;
    readonly you: boolean;
}

export interface ScreenFrame {
    readonly t: 'screen';
    readonly epoch: number;
    readonly cols: number;
    readonly rows: number;
    readonly role: Role;
    readonly holder: Holder | null;
}

export interface TerminalState {
    readonly title: string;
    readonly alive: boolean;
    readonly exit: number | null;
    readonly signal: number | null;
    readonly scrolled: boolean;
    readonly history: number;
}

export type ServerFrame =
    | ScreenFrame
    | ({ readonly t: 'state' } & TerminalState)
    | { readonly t: 'holder'; readonly holder: Holder | null }
    | { readonly t: 'refused'; readonly message: string; readonly holder: Holder | null }
    | { readonly t: 'stalled'; readonly pid: number | null }
    | { readonly t: 'end'; readonly code: number; readonly message: string };

export type ClientFrame =
    | { readonly t: 'ack'; readonly epoch: number; readonly n: number }
    | {
          readonly t: 'take';
          readonly fit: boolean;
          readonly cols: number;
          readonly rows: number;
          readonly force: boolean;
      }
    | { readonly t: 'release' }
    | { readonly t: 'size'; readonly cols: number; readonly rows: number }
    | { readonly t: 'paste'; readonly text: string }
    | { readonly t: 'redraw' };

export interface Size {
    readonly cols: number;
    readonly rows: number;
}
