import { visible } from '../../lib/visible';
import type { DaemonStatus, Diagnosis } from '../../lib/wire';

/** What the daemon says about itself. */
export interface About {
    readonly health: { readonly status: string; readonly version: string };
    readonly status: DaemonStatus;
}

export interface Fact {
    readonly name: string;
    readonly value: string;
}

export interface Facts {
    readonly title: string;
    readonly facts: readonly Fact[];
}

/** Returns how long something has been running. */
export function uptime(from: string, now: number): string {
    const minutes = Math.max(0, Math.floor((now - Date.parse(from)) / 60_000));
    if (minutes < 1) return 'less than a minute';
    const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
    const parts = [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean);
    return parts.slice(0, 2).join(' ');
}

/** Returns the facts in the order in which people look for them. */
export function facts({ health, status }: About, now: number): Facts[] {
    const ready = status.ready_providers ?? [];
    const agents = Object.entries(status.sessions).filter(([, count]) => count > 0);
    const waiting = status.waiting_turns ?? 0;
    const groups: [string, [string, string][]][] = [
        [
            'Daemon',
            [
                ['Health', health.status],
                ['Version', status.version],
                ['Running for', uptime(status.started_at, now)],
                ['Started', status.started_at],
                ['Process id', String(status.pid)],
            ],
        ],
        [
            'Work',
            [
                ['Agents', agents.map(([word, count]) => `${count} ${word}`).join(', ') || 'none'],
                ['Processes', `${status.live_processes} of ${status.process_limit}`],
                ['Turns that wait for a process', String(waiting)],
                ['Ready providers', `${ready.join(', ') || 'none'} (of ${status.providers.length})`],
                ['Terminals', status.tmux ?? 'tmux works'],
            ],
        ],
        [
            'Storage',
            [
                ['Home', status.home],
                ['Events in the log', String(status.seq)],
            ],
        ],
        [
            'Addresses',
            [
                ['Web', status.url],
                ['Socket', status.socket],
            ],
        ],
    ];
    return groups.map(([title, rows]) => ({
        title,
        facts: rows.map(([name, value]) => ({ name, value: visible(value) })),
    }));
}

/** Returns the checks as facts, for a bug report. */
export function checked(diagnosis: Diagnosis | undefined): Facts[] {
    if (!diagnosis) return [];
    const facts = diagnosis.checks.map(({ name, verdict, found, fix }) => ({
        name: visible(name),
        value: visible(fix ? `${verdict}: ${found} (${fix})` : `${verdict}: ${found}`),
    }));
    return [{ title: 'Checks', facts }];
}

/** Returns the facts as text, for a bug report. */
export function asText(groups: readonly Facts[]): string {
    return groups
        .map(({ title, facts }) =>
            [title, ...facts.map(({ name, value }) => `  ${name}: ${value}`)].join('\n'),
        )
        .join('\n');
}
