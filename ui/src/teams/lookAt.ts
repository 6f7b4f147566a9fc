import { turns } from '../lib/turns';

/** Brings a task's card into view, and puts the focus on it. One that waits to be drawn is drawn first. */
export function lookAt(board: HTMLElement, task: string): void {
    const card = board.querySelector<HTMLElement>(`[data-task="${CSS.escape(task)}"]`);
    const later = card?.querySelector('[data-later]');
    if (later) turns.draw(later);
    card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    card?.querySelector<HTMLElement>('[data-open]')?.focus({ preventScroll: true });
}
