import type { Terminal } from '@xterm/xterm';
import { struck } from '../lib/visible';
import { rowFactoryOf } from './rowFactory';

/**
 * Has an emulator show what programs print and nobody would see, as characters that turn the direction of what follows.
 * There is no room to write them out, as cells are counted by tmux: the character before them is struck out. Only what is
 * drawn differs: copying takes the text as it is.
 */
export function showHidden(terminal: Terminal): void {
    const factory = rowFactoryOf(terminal);
    const create = factory.createRow.bind(factory);
    factory.createRow = (...line) => {
        const spans = create(...line);
        for (const span of spans) {
            const text = span.textContent ?? '';
            const shown = struck(text);
            if (shown !== text) span.textContent = shown;
        }
        return spans;
    };
}
