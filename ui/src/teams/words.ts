import { visibleLine } from '../lib/visible';
import type { Notice } from '../lib/wire';
import { PERSON } from './moves';

/** Returns what people call a member; themselves they call you. */
export function memberName(id: string): string {
    return id === PERSON ? 'you' : visibleLine(id);
}

const DEEDS: Partial<Record<Notice['type'], string>> = {
    team_created: 'created the team',
    team_closed: 'closed the team',
    agent_enrolled: 'added',
    agent_left: 'removed',
    worker_started: 'started the terminal of',
    worker_ended: 'ended the terminal of',
    write_refused: 'refused a write of',
    thread_started: 'started',
    thread_linked_task: 'linked',
    thread_message: 'posted to',
    task_created: 'created',
    task_edited: 'edited',
    task_claimed: 'claimed',
    task_renewed: 'renewed',
    task_expired: 'ended the lease on',
    task_completed: 'completed',
    task_unblocked: 'unblocked',
    task_failed: 'failed',
    task_released: 'released',
    task_assigned: 'assigned',
    task_taken_back: 'freed',
    task_canceled: 'canceled',
    task_retried: 'reopened',
};

/** Says what happened, as a sentence. What a newer daemon tells is shown in its own words. */
export function noticeWords(notice: Notice): string {
    const deed = DEEDS[notice.type] ?? notice.type;
    const to = notice.to ? memberName(notice.to) : undefined;
    const about = notice.thread ?? notice.task;
    const words = [notice.actor === 'daemon' ? 'Paseo' : memberName(notice.actor), deed];
    if (about) words.push(about);
    else if (to) words.push(to);
    if (about && to) words.push(notice.type === 'task_assigned' ? `to ${to}` : `of ${to}`);
    if (notice.thread && notice.task && notice.type === 'thread_linked_task') words.push(`to ${notice.task}`);
    if (notice.reason) words.push(`(${visibleLine(notice.reason)})`);
    const sentence = words.join(' ');
    return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Reads a list that was typed: by lines or commas, without what is empty or there twice. */
export function listOf(text: string): string[] {
    return [...new Set(text.split(/[\n,]/).map((part) => part.trim()))].filter(Boolean);
}
