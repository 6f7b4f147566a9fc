/* An agent that speaks ACP and answers every prompt with an edit of `greeting.txt`, as `paseo providers add` runs it. */
import { createInterface } from 'node:readline';

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionId, fields) =>
    send({ method: 'session/update', params: { sessionId, update: fields } });

function edit(sessionId) {
    const path = 'greeting.txt';
    const change = { old_string: 'Hello there', new_string: 'Good morning' };
    const content = [{ type: 'diff', path, oldText: 'Hello there\nBye\n', newText: 'Good morning\nBye\n' }];
    const call = { toolCallId: 'call-1', title: 'Edit greeting.txt', kind: 'edit', locations: [{ path }] };
    update(sessionId, {
        sessionUpdate: 'tool_call',
        ...call,
        status: 'in_progress',
        rawInput: { file_path: path, ...change },
    });
    update(sessionId, {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'call-1',
        status: 'completed',
        content,
    });
    const text = { type: 'text', text: `Greeted with ${chosen.model}, ${chosen.effort}.` };
    update(sessionId, { sessionUpdate: 'agent_message_chunk', content: text });
}

/** Models and efforts that a test adds. */
const MORE = process.argv.slice(2);
const chosen = { model: 'fast', effort: 'low' };

function options() {
    const select = (id, category, values) => ({
        id,
        name: id,
        category,
        type: 'select',
        currentValue: chosen[id],
        options: values.map((value) => ({ value, name: value })),
    });
    return [
        select('model', 'model', ['fast', 'thorough', ...MORE]),
        select('effort', 'thought_level', ['low', 'high', ...MORE]),
    ];
}

function answer(method, params) {
    switch (method) {
        case 'initialize':
            return {
                protocolVersion: 1,
                agentCapabilities: { loadSession: false, mcpCapabilities: { http: true } },
                agentInfo: { name: 'Editor', version: '1.0.0' },
            };
        case 'session/new':
            return { sessionId: 'session-1', configOptions: options() };
        case 'session/set_config_option':
            chosen[params.configId] = params.value;
            return { configOptions: options() };
        case 'session/prompt':
            edit(params.sessionId);
            return { stopReason: 'end_turn' };
        default:
            return {};
    }
}

/** Whoever writes `wait` waits for ever. */
const waits = (params) => params?.prompt?.some(({ text }) => text?.trim().endsWith('wait'));

for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    if (id !== undefined && method !== undefined && !waits(params))
        send({ id, result: answer(method, params) });
}
