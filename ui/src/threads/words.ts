import { unknown } from '../lib/never';
import { visibleLine } from '../lib/visible';
import type { NotWoken, Participant, Presence, Thread, ThreadEvent } from '../lib/wire';

/** The part of Paseo that wakes participants and posts their answers. */
export const COORDINATOR = 'bridge-coordinator';
export const USER = 'user';

/** What a participant is, as people see it. */
export type State = 'thinking' | 'waiting' | 'late' | 'listening' | 'typing' | 'idle' | 'offline' | 'other';

const STATES: readonly string[] = ['thinking', 'waiting', 'late', 'listening', 'typing', 'idle', 'offline'];

/** Returns what a participant is doing; of one that says nothing, that it is offline. */
export function stateOf(presence: Presence | undefined): State {
    const state = presence?.state ?? 'offline';
    return STATES.includes(state) ? (state as State) : 'other';
}

/** Returns the word for what a participant is doing; participants may choose their own. */
export function stateWord(presence: Presence | undefined): string {
    return visibleLine(presence?.state ?? 'offline');
}

/** Returns what a participant is doing, and that it is muted. */
export function stateWords(presence: Presence | undefined, muted: boolean): string {
    return [muted ? 'muted' : '', stateWord(presence)].filter(Boolean).join(', ');
}

/** Returns what participants of a past thread were doing. Presence is not stored: who worked on a reply is all that is known. */
export function presenceThen({ state }: Pick<Thread, 'state'>): ReadonlyMap<string, Presence> {
    const doing = (id: string, state: string) =>
        [id, { id, state, updated_at: null, stale: false, details: null }] as const;
    return new Map([
        ...(state.guests ?? []).map((id) => doing(id, '')),
        ...state.participants.invited.map(({ id, working }) => doing(id, working ? 'working' : '')),
    ]);
}

/** Returns the name of a participant as threads show it. */
export function shownId(id: string): string {
    if (id === USER) return 'You';
    return id === COORDINATOR ? 'Paseo' : visibleLine(id);
}

/** Returns what people call a participant: its nickname beside its id. */
export function shownParticipant({ id, profile }: Participant): string {
    const nickname = profile.nickname ? visibleLine(profile.nickname) : '';
    return nickname && nickname !== id ? `${nickname} (${visibleLine(id)})` : visibleLine(id);
}

/** Returns what runs a participant. */
export function engineOf({ profile }: Participant): string {
    const model = profile.model === 'default' ? '' : profile.model;
    return [profile.client, model]
        .filter(Boolean)
        .map((word) => visibleLine(word ?? ''))
        .join(' · ');
}

const REASONS: Record<NotWoken['reason'], string> = {
    not_addressed: 'not addressed',
    muted: 'muted',
    paused: 'the thread is paused',
    outside: 'run by another program, which reads the thread itself',
    author: 'it is the author',
    not_permitted: 'it has permissions that the author cannot pass on',
};

/** Returns why a message does not wake a participant. */
export function reasonWords({ reason }: NotWoken): string {
    return REASONS[reason] ?? reason;
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns what happened in a thread beside messages, in one sentence. */
export function happened(event: ThreadEvent): string {
    const who = shownId(event.from);
    const content = fieldsOf(event.content);
    switch (event.type) {
        case 'thread.created': {
            const place = text(content['directory']);
            return `${who} created the thread${place ? ` in ${place}` : ''}`;
        }
        case 'thread.renamed':
            return `${who} renamed the thread to ${text(content['name'])}`;
        case 'thread.moved':
            return `${who} set the working directory to ${text(content['directory'])}`;
        case 'message':
        case 'control':
            return `${who} ${controlled(content).join(', ') || 'changed the thread'}`;
        default:
            return unknown(event, `${who} changed the thread`);
    }
}

/** Returns what a control changed. */
function controlled(content: Fields): string[] {
    const words: string[] = [];
    const invited = fieldsOf(content['invite']);
    if (content['invite']) words.push(`invited ${text(invited['participant_id'])}`);
    const uninvited = fieldsOf(content['uninvite']);
    if (content['uninvite']) words.push(`removed ${text(uninvited['participant_id'])}`);
    if (content['mute']) words.push(`muted ${names(content['mute'])}`);
    if (content['unmute']) words.push(`unmuted ${names(content['unmute'])}`);
    if (content['pause']) words.push(isOn(content['pause']) ? 'paused the thread' : 'resumed the thread');
    if (content['discussion'])
        words.push(`turned discussion between agents ${isOn(content['discussion']) ? 'on' : 'off'}`);
    if (content['invited_auto'])
        words.push(`turned waking all participants ${isOn(content['invited_auto']) ? 'on' : 'off'}`);
    if (content['prod']) words.push('asked participants to go on');
    if (content['done']) words.push('is done');
    return words;
}

function isOn(value: unknown): boolean {
    return fieldsOf(value)['on'] !== false;
}

function names(value: unknown): string {
    const { targets } = fieldsOf(value);
    return Array.isArray(targets) ? targets.map(text).join(', ') : '';
}

function fieldsOf(value: unknown): Fields {
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string {
    return typeof value === 'string' ? visibleLine(value) : '';
}

/** Returns the words of a message. */
export function wordsOf(event: ThreadEvent): string {
    return typeof event.content === 'string' ? event.content : '';
}

/** How much of a message is shown where it is only named. */
const BEGINNING = 120;

/** Returns who said a message and how it begins, in one line. */
export function beginningOf(event: ThreadEvent): string {
    const line = wordsOf(event)
        .slice(0, 8 * BEGINNING)
        .replace(/\s+/g, ' ')
        .slice(0, BEGINNING);
    return `${shownId(event.from)}: ${visibleLine(line)}`;
}

/** Returns what an event of a thread is about, in one line. */
export function eventWords(event: ThreadEvent): string {
    return event.type === 'message' ? beginningOf(event) : happened(event);
}

/** Returns what is lost with a thread, for the person who deletes it. */
export function lossWords(thread: Thread): string[] {
    const { invited } = thread.state.participants;
    const agents = invited.filter(({ session }) => session);
    const working = invited.filter((participant) => participant.working);
    const list = (participants: readonly Participant[]) =>
        participants.map(({ id }) => visibleLine(id)).join(', ');
    return [
        ...(working.length > 0 ? [`Working now, and will be stopped: ${list(working)}.`] : []),
        `${count(thread.messages, 'message')} will be deleted, also from search. This cannot be undone.`,
        ...(agents.length > 0
            ? [`Agents that will be closed: ${list(agents)}. Their transcripts and files stay.`]
            : []),
        'Tokens for this thread will be revoked.',
    ];
}

export function count(number: number, noun: string): string {
    return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
