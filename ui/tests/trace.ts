import type { Browser, Page } from '@playwright/test';
import { expect } from './app';

interface TraceEvent {
    name: string;
    pid: number;
    tid: number;
    /** Microseconds since the trace began. */
    ts: number;
    /** Microseconds of the thread itself: what other programs do meanwhile does not count. */
    tdur?: number;
    args?: { name?: string; chrome_mojo_event_info?: { mojo_interface_tag?: string } };
}

/** The way by which the test looks at the page. */
const OF_THE_TEST = 'blink.mojom.DevToolsSession';

/** A phone does as much in a second as the machine of a test in a third of one. */
const SLOWER = 3;

/**
 * Does something in a page. Returns how many milliseconds the longest task of its main thread took, apart from those of
 * the test: as long as a person waits for an answer to a click, on a machine that does nothing else.
 */
export async function longestTask(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    // What the test left behind before is not the page's to clear away.
    await devtools.send('HeapProfiler.collectGarbage');
    await browser.startTracing(page, { categories: ['toplevel'] });
    await act();
    const trace = await browser.stopTracing();
    await devtools.detach();
    return longest(trace);
}

function longest(trace: Buffer): number {
    const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
    const isPage = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
    const threads = new Set(traceEvents.filter(isPage).map(threadOf));
    const events = traceEvents.filter((event) => threads.has(threadOf(event)) && event.tdur !== undefined);
    const messages = events.filter(
        ({ args }) => args?.chrome_mojo_event_info?.mojo_interface_tag === OF_THE_TEST,
    );
    const isOfTest = (task: TraceEvent) =>
        messages.some(
            (message) =>
                threadOf(message) === threadOf(task) &&
                message.ts >= task.ts &&
                message.ts - task.ts < (task.tdur ?? 0) &&
                (message.tdur ?? 0) > (task.tdur ?? 0) / 2,
        );
    const tasks = events.filter(({ name }) => name.endsWith('RunTask'));
    expect(tasks.length, 'the trace has the tasks of the page').toBeGreaterThan(100);
    expect(messages.length, 'the trace tells the tasks of the test apart').toBeGreaterThan(0);
    tasks.sort((one, other) => (other.tdur ?? 0) - (one.tdur ?? 0));
    return (tasks.find((task) => !isOfTest(task))?.tdur ?? 0) / 1000;
}

function threadOf({ pid, tid }: TraceEvent): string {
    return `${pid}:${tid}`;
}
