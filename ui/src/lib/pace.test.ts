import { beforeEach, expect, it } from 'vitest';
import { GAP_MS, Pace } from './pace';

let now = 0;
let hidden = false;
let timers: { at: number; act: () => void }[] = [];
let batches: string[][] = [];

function pace(act: (each: string) => void = (each) => batches.at(-1)?.push(each)): Pace<string> {
    return new Pace(act, {
        now: () => now,
        after: (wait, act) => timers.push({ at: now + wait, act }),
        hidden: () => hidden,
    });
}

function pass(milliseconds: number): void {
    const until = now + milliseconds;
    for (;;) {
        const next = timers.findIndex(({ at }) => at <= until);
        if (next < 0) break;
        const [timer] = timers.splice(next, 1);
        if (!timer) break;
        now = timer.at;
        batches.push([]);
        timer.act();
    }
    now = until;
}

beforeEach(() => {
    now = 1000;
    hidden = false;
    timers = [];
    batches = [];
});

it('takes in at once what comes alone, and what comes with it', () => {
    const one = pace();
    one.take('a');
    one.take('b');
    pass(0);
    expect(batches).toEqual([['a', 'b']]);
});

it('takes in what comes all the time in batches, in its order', () => {
    const one = pace();
    for (let number = 0; number < 50; number += 1) {
        one.take(String(number));
        pass(20);
    }
    pass(GAP_MS);
    expect(batches.length).toBeLessThan(13);
    expect(batches.flat()).toEqual(Array.from({ length: 50 }, (_, number) => String(number)));
});

it('waits no longer than the gap', () => {
    const one = pace();
    one.take('a');
    pass(0);
    one.take('b');
    pass(GAP_MS - 1);
    expect(batches).toEqual([['a']]);
    pass(1);
    expect(batches).toEqual([['a'], ['b']]);
});

it('does not wait while no one sees the page', () => {
    const seen: string[] = [];
    const one = pace((each) => seen.push(each));
    hidden = true;
    one.take('a');
    one.take('b');
    expect(seen).toEqual(['a', 'b']);
});

it('can be told to take in what waits', () => {
    const seen: string[] = [];
    const one = pace((each) => seen.push(each));
    one.take('a');
    one.flush();
    expect(seen).toEqual(['a']);
    pass(GAP_MS);
    expect(seen).toEqual(['a']);
});

it('loses nothing when something fails', () => {
    const seen: string[] = [];
    const one = pace((each) => {
        if (each === 'bad') throw new Error('bad');
        seen.push(each);
    });
    one.take('bad');
    one.take('good');
    expect(() => pass(0)).toThrow('bad');
    pass(GAP_MS);
    expect(seen).toEqual(['good']);
});
