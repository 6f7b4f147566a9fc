import { field, isBusy, type Agent, type Item } from '../lib/wire';

/** Work that an agent handed to another one by a tool of Paseo's. */
export interface Delegation {
    readonly tool: Tool;
    /** Who does it: by the id of the session, by a handle, or by a definition. */
    readonly to: Target;
    /** What was asked, in the caller's words; empty for a wait. */
    readonly asked: string;
    readonly state: State;
    /** What came of it: an answer, or why there is none. */
    readonly answer: string;
}

export interface Target {
    readonly session: string | undefined;
    readonly handle: string | undefined;
    readonly definition: string | undefined;
}

/** Where it stood when the call ended, and `waiting` before. */
export type State = 'waiting' | 'sent' | 'background' | 'finished' | 'unfinished' | 'held' | 'failed';

const TOOLS = ['agents_message', 'summon', 'retrieve', 'send_to_tab'] as const;
export type Tool = (typeof TOOLS)[number];

/** Harnesses write the name of our MCP server before that of the tool; a tool of another server is another tool. */
const NAME = /^(?:(?:mcp__)?paseo[-_]tools_{1,3})?([a-z_]+)$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns which of the tools a call is of. */
export function delegates(call: Item): Tool | undefined {
    const name = NAME.exec(field(call, 'name') ?? '')?.[1];
    return TOOLS.find((tool) => tool === name);
}

/** Reads a call and its result. Whatever is missing in them is left out. */
export function delegation(call: Item, result: Item | undefined): Delegation | undefined {
    const tool = delegates(call);
    if (!tool) return undefined;
    const input = object(call.text);
    const text = result?.text ?? '';
    const failed = result && (field(result, 'outcome') ?? 'ok') !== 'ok';
    const asked = words(
        input,
        { agents_message: 'content', summon: 'task', send_to_tab: 'message' }[tool as never],
    );
    const read =
        tool === 'agents_message' ? reported(text) : tool === 'send_to_tab' ? sent(text) : started(text);
    const named = words(
        input,
        tool === 'retrieve' ? 'agent_id' : tool === 'send_to_tab' ? 'tab_id' : 'sessionId',
    );
    const session = id(read.session) ?? id(named);
    return {
        tool,
        asked,
        to: {
            session,
            handle: session ? undefined : named || undefined,
            definition: words(input, tool === 'summon' ? 'agent' : 'agentId') || undefined,
        },
        state: failed ? 'failed' : result ? read.state : 'waiting',
        answer: failed ? read.answer || text : read.answer,
    };
}

interface Read {
    session: string | undefined;
    state: State;
    answer: string;
}

/** Reads what `agents_message` returns. */
function reported(text: string): Read {
    const report = object(text);
    const status = words(report, 'status');
    const states: Record<string, State> = {
        complete: 'finished',
        timeout: 'unfinished',
        started: 'background',
    };
    return {
        session: words(report, 'sessionId'),
        state: report['held'] === true ? 'held' : (states[status] ?? 'finished'),
        answer: words(report, 'response') || words(report, 'message') || words(report, 'reason'),
    };
}

/** Reads what `summon` and `retrieve` return: facts, an empty line, and words. */
function started(text: string): Read {
    const session = /^agent_id: (\S+)/.exec(text)?.[1];
    const answer = session ? text.slice(text.indexOf('\n\n') + 2) : text;
    const state = answer.startsWith('HELD')
        ? 'held'
        : answer.startsWith('The agent works in the background')
          ? 'background'
          : /^(?:The agent is still working|A person wrote to you while)/.test(answer)
            ? 'unfinished'
            : 'finished';
    return { session, state, answer };
}

function sent(text: string): Read {
    return { session: undefined, state: text.includes('HELD') ? 'held' : 'sent', answer: text };
}

/** A word for where it stands now. What the target does meanwhile is known of those that were not waited for. */
export function stateWord(state: State, target: Agent | undefined, busy: boolean): string {
    if (state === 'waiting' && !busy) return 'interrupted';
    const live = state === 'waiting' || state === 'background' || state === 'unfinished';
    if (live && target?.ask) return 'asks you';
    if (live && target && isBusy(target)) return 'running';
    if (live && target?.status === 'error') return 'failed';
    if (live && state !== 'waiting' && target?.status === 'idle') return 'finished';
    return (
        { unfinished: 'not finished yet', background: 'in the background', waiting: 'waiting' }[
            state as never
        ] ?? state
    );
}

function id(text: string | undefined): string | undefined {
    return text && ID.test(text) ? text : undefined;
}

function object(text: string | null | undefined): Record<string, unknown> {
    try {
        const value: unknown = JSON.parse(text ?? '');
        return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
    } catch {
        return {};
    }
}

function words(of: Record<string, unknown>, name: string | undefined): string {
    const value = name && Object.hasOwn(of, name) ? of[name] : undefined;
    return typeof value === 'string' ? value : '';
}
