import { field, isBusy, type Agent, type DelegationState, type Item } from '../lib/wire';

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
export type State = 'waiting' | DelegationState;

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

/**
 * Reads a call and its result. Whatever is missing in them is left out. The daemon says where the work stands; of a
 * result that it did not recognise, or that is older, only the outcome is known.
 */
export function delegation(call: Item, result: Item | undefined): Delegation | undefined {
    const tool = delegates(call);
    if (!tool) return undefined;
    const input = object(call.text);
    const named = words(input, NAMED[tool].target);
    const told = result && field(result, 'delegation');
    const { session: written, answer } = read(tool, result?.text ?? '');
    const session = id(told?.session) ?? id(written) ?? id(named);
    const outcome = (result && field(result, 'outcome')) ?? 'ok';
    return {
        tool,
        asked: words(input, NAMED[tool].asked),
        to: {
            session,
            handle: session ? undefined : named || undefined,
            definition: words(input, NAMED[tool].definition) || undefined,
        },
        state: !result ? 'waiting' : (told?.state ?? (outcome === 'ok' ? 'finished' : 'failed')),
        answer,
    };
}

/** What the tools call their arguments. */
const NAMED: Record<Tool, { asked?: string; target?: string; definition?: string }> = {
    agents_message: { asked: 'content', definition: 'agentId' },
    summon: { asked: 'task', definition: 'agent' },
    retrieve: { target: 'agent_id' },
    send_to_tab: { asked: 'message', target: 'tab_id' },
};

interface Read {
    session?: string | undefined;
    answer: string;
}

/** Takes the words for people out of what a tool returned. */
function read(tool: Tool, text: string): Read {
    if (tool === 'agents_message') {
        const report = object(text);
        const answer = words(report, 'response') || words(report, 'message') || words(report, 'reason');
        const session = words(report, 'sessionId');
        return session ? { session, answer } : { answer: text };
    }
    // Facts, an empty line, and words.
    const session = /^agent_id: (\S+)/.exec(text)?.[1];
    return session ? { session, answer: text.slice(text.indexOf('\n\n') + 2) } : { answer: text };
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
