import type { Terminal } from '@xterm/xterm';

/** What draws the rows of an emulator. xterm offers no way to it: tests in a real browser show that it still is this one. */
export interface RowFactory {
    _addStyle: (element: HTMLElement, style: string) => void;
    createRow: (...line: readonly unknown[]) => HTMLElement[];
}

interface Inside {
    _core?: { _renderService?: { _renderer?: { value?: { _rowFactory?: Partial<RowFactory> } } } };
}

/** Returns what draws the rows of an emulator that is open. */
export function rowFactoryOf(terminal: Terminal): RowFactory {
    const factory = (terminal as unknown as Inside)._core?._renderService?._renderer?.value?._rowFactory;
    if (typeof factory?._addStyle !== 'function' || typeof factory.createRow !== 'function')
        throw new Error('this version of xterm is not supported');
    return factory as RowFactory;
}
