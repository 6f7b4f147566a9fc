import { expect, it } from 'vitest';
import { asText, facts, uptime, type About } from './report';

const START = '2026-01-31T12:00:00.000Z';
const DIAGNOSIS: About = {
    health: { status: 'ok', version: '0.1.0' },
    status: {
        pid: 42,
        version: '0.1.0',
        home: '/home/ann/.paseo',
        socket: '/home/ann/.paseo/daemon.sock',
        url: 'http://127.0.0.1:6767',
        started_at: START,
        sessions: { idle: 2, closed: 0, running: 1 },
        live_processes: 3,
        process_limit: 8,
        waiting_turns: 1,
        providers: ['claude', 'scripted'],
        ready_providers: ['scripted'],
        seq: 4711,
    },
};

it('counts the time since the start', () => {
    const after = (minutes: number) => uptime(START, Date.parse(START) + minutes * 60_000);
    expect(after(0)).toBe('less than a minute');
    // The clocks of two machines differ.
    expect(after(-3)).toBe('less than a minute');
    expect(after(59)).toBe('59 min');
    expect(after(61)).toBe('1 h 1 min');
    expect(after(1440 * 3 + 60)).toBe('3 d 1 h');
    expect(after(1440 * 2)).toBe('2 d');
});

it('says what the daemon says, and nothing hidden', () => {
    const text = asText(facts(DIAGNOSIS, Date.parse(START) + 3_600_000));
    for (const line of [
        'Agents: 2 idle, 1 running',
        'Processes: 3 of 8',
        'Turns that wait for a process: 1',
        'Ready providers: scripted (of 2)',
        'Terminals: tmux works',
        'Events in the log: 4711',
        'Running for: 1 h',
    ])
        expect(text).toContain(`  ${line}`);
    const broken = {
        ...DIAGNOSIS,
        status: { ...DIAGNOSIS.status, tmux: 'tmux is not installed', home: '/a\u202eb' },
    };
    expect(asText(facts(broken, 0))).toContain('Terminals: tmux is not installed');
    expect(asText(facts(broken, 0))).toContain('Home: /a\\u{202e}b');
});
