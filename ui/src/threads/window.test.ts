import { describe, expect, it } from 'vitest';
import type { ThreadEvent, ThreadEventPage } from '../lib/wire';
import {
    AHEAD,
    EMPTY,
    fromPage,
    hasEnd,
    reached,
    withEvent,
    WINDOW,
    withNewer,
    withOlder,
    type EventWindow,
} from './window';

function event(version: number): ThreadEvent {
    return {
        id: `e${version}`,
        ts: '2026-01-01T00:00:00Z',
        thread: 't',
        type: 'message',
        from: 'user',
        to: 'all',
        content: `message ${version}`,
        meta: { reply_to: null, tags: [] },
        version,
    };
}

function page(
    versions: readonly number[],
    { next = null, earlier = null }: { next?: number | null; earlier?: number | null } = {},
): ThreadEventPage {
    return { seq: 1, thread: 't', events: versions.map(event), next, earlier };
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const versions = (window: EventWindow) => window.events.map(({ version }) => version);

describe('a window of a thread', () => {
    it('joins what the stream brought while the page was read, once', () => {
        let window = [5, 7, 9].reduce((all, version) => withEvent(all, event(version)), EMPTY);
        window = fromPage(page([1, 4, 5, 7]), window);
        expect(versions(window)).toEqual([1, 4, 5, 7, 9]);
        expect(window.newer).toBe(false);
        expect(versions(withEvent(window, event(9)))).toEqual([1, 4, 5, 7, 9]);
        expect(versions(withEvent(window, event(12)))).toEqual([1, 4, 5, 7, 9, 12]);
    });

    it('loses nothing when the newest page is read again', () => {
        let window = fromPage(page([1, 2]), EMPTY);
        window = withEvent(withEvent(window, event(3)), event(5));
        // It was asked for before the last one came.
        expect(versions(fromPage(page([1, 2, 3]), window))).toEqual([1, 2, 3, 5]);
    });

    it('reads on from the middle to the end without a hole', () => {
        let window = fromPage(page(range(90, 100), { earlier: 90 }), EMPTY);
        window = fromPage(page(range(10, 19), { earlier: 10, next: 19 }), window);
        expect([window.newer, window.older]).toEqual([true, true]);
        window = withEvent(window, event(101));
        expect(versions(window)).toEqual(range(10, 19));
        window = withNewer(window, page(range(20, 60), { next: 60 }));
        expect(window.newer).toBe(true);
        window = withNewer(window, page(range(61, 100)));
        expect(versions(window)).toEqual(range(10, 101));
        expect(window.newer).toBe(false);
    });

    it('reads again what the stream brought and could not be kept', () => {
        let window = fromPage(page([1, 2], { next: 2 }), EMPTY);
        for (const version of range(3, AHEAD + 5)) window = withEvent(window, event(version));
        // It was read before they came.
        window = withNewer(window, page([]));
        expect(window.newer).toBe(true);
        window = withNewer(window, page(range(3, 10)));
        expect(versions(window)).toEqual(range(1, AHEAD + 5));
        expect(window.newer).toBe(false);
    });

    it('ends at a version of the past, and reads on to the present without a hole', () => {
        let window = fromPage(page(range(190, 200), { earlier: 190 }), EMPTY);
        expect([hasEnd(window, undefined), hasEnd(window, 195), hasEnd(window, 50)]).toEqual([
            true,
            true,
            false,
        ]);
        // The last events up to version 50 are internal ones, and what follows it is not known.
        window = fromPage(page(range(40, 48), { earlier: 40 }), window, 50);
        expect([window.newer, reached(window), versions(window)]).toEqual([true, 50, range(40, 48)]);
        expect([hasEnd(window, 50), hasEnd(window, 51), hasEnd(window, undefined)]).toEqual([
            true,
            false,
            false,
        ]);
        window = withEvent(window, event(201));
        window = withNewer(window, page(range(51, 120), { next: 130 }));
        expect(reached(window)).toBe(130);
        window = withNewer(window, page(range(131, 200)));
        expect(versions(window)).toEqual([...range(40, 48), ...range(51, 120), ...range(131, 201)]);
        expect(hasEnd(window, undefined)).toBe(true);
    });

    it('forgets what is far below a reader who goes back', () => {
        let window = fromPage(page(range(1000, 999 + WINDOW), { earlier: 1000 }), EMPTY);
        window = withOlder(window, page(range(900, 999), { earlier: 900 }));
        expect(versions(window)).toEqual(range(900, 899 + WINDOW));
        expect(window.newer).toBe(true);
        window = withNewer(window, page(range(900 + WINDOW, 999 + WINDOW)));
        expect(window.newer).toBe(false);
        // Many at once, so that what remains does not move with each that comes.
        expect(versions(window)).toEqual(range(1100, 999 + WINDOW));
        expect(window.older).toBe(true);
    });
});
