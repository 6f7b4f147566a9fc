import type { MapView } from '../src/lib/wire';

const STATUSES = ['running', 'waiting', 'idle', 'interrupted', 'error', 'starting'] as const;
const NAMES = [
    'Fix the failing test',
    'Bring the changelog of the last three releases up to date',
    'review',
    'Translate the greeting into French and German',
    'Donaudampfschifffahrtsgesellschaftskapitän',
];
const AT = '2026-01-01T12:00:00.000Z';

/** Agents with many lines between them: more than a test could have made by real ones. The same each time. */
export function crowd(agents: number, lines: number, projects = 3): MapView {
    let state = 7;
    const next = (below: number) => {
        state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
        return Math.floor((state / 2 ** 32) * below);
    };
    const usage = (tokens: number) => ({ input_tokens: tokens, output_tokens: 400, cost_micros: 1_200_000 });
    const id = (at: number) => `0000${at.toString(16).padStart(4, '0')}-0000-4000-8000-000000000000`;
    const all = Array.from({ length: agents }, (_, at) => {
        const status = STATUSES[next(STATUSES.length)] ?? 'idle';
        return {
            session: id(at),
            handle: `${(4096 + at).toString(16)}`,
            name: at % 7 === 6 ? null : (NAMES[at % NAMES.length] ?? null),
            project: `/home/ada/${['greet', 'a-project-with-a-name-that-is-long', 'site'][at % projects]}`,
            parent: null,
            family: id(at),
            depth: 0,
            status,
            busy: status === 'running' || status === 'waiting',
            asked: 1,
            wakes: next(3) === 0 ? 0 : next(1200),
            queued: next(2) === 0 ? 0 : next(100),
            usage: usage(next(4) === 0 ? 0 : 999_900 * (1 + next(40))),
        };
    });
    const pair = (at: number) => {
        const from = next(agents);
        return { from: id(from), to: id((from + 1 + (at % (agents - 1))) % agents), last_at: AT };
    };
    const links = Array.from({ length: lines }, (_, at) => ({
        ...pair(at * 7),
        messages: 1 + next(30),
        answers: 0,
        spawns: at % 3 === 0 ? 1 : 0,
    }));
    const seen = new Set<string>();
    const view = {
        agents: all,
        links: links.filter(({ from, to }) => !seen.has(`${from} ${to}`) && seen.add(`${from} ${to}`)),
        threads: [
            {
                thread: '00000000-0000-7000-8000-000000000000',
                name: 'planning the next release of everything that there is',
                participants: [{ session: id(0), posts: 3, wakes: 2, last_at: AT }],
            },
        ],
        waits: Array.from({ length: Math.ceil(agents / 20) }, (_, at) => pair(at * 3 + 1)),
        causes: [],
        refused: [],
        at: AT,
        since: AT,
        left_out: 0,
        seq: 1,
    };
    return view as unknown as MapView;
}
