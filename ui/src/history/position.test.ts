import { describe, expect, it } from 'vitest';
import {
    canStep,
    countWords,
    fieldValue,
    momentOf,
    momentWords,
    positionOf,
    shareOf,
    stepped,
    versionAt,
} from './position';

describe('a position in a history', () => {
    it('is the present at the newest event, also when events follow', () => {
        expect(positionOf(7, 7)).toBeUndefined();
        expect(positionOf(9, 7)).toBeUndefined();
        expect(positionOf(6, 7)).toBe(6);
        expect(versionAt(undefined, 7)).toBe(7);
        expect(versionAt(undefined, 8)).toBe(8);
        expect(versionAt(6, 8)).toBe(6);
    });

    it('never lies before the first event', () => {
        expect(positionOf(0, 7)).toBe(1);
        expect(positionOf(-3, 7)).toBe(1);
        expect(stepped(1, -1, 7)).toBe(1);
    });

    it('is stepped event by event, from the present and back to it', () => {
        expect(stepped(undefined, -1, 7)).toBe(6);
        expect(stepped(6, 1, 7)).toBeUndefined();
        expect(stepped(3, 1, 7)).toBe(4);
        expect(canStep(undefined, 1, 7)).toBe(false);
        expect(canStep(undefined, -1, 7)).toBe(true);
        expect(canStep(1, -1, 7)).toBe(false);
        expect(canStep(undefined, -1, 1)).toBe(false);
    });

    it('has a share of the way', () => {
        expect(shareOf(1, 5)).toBe(0);
        expect(shareOf(3, 5)).toBe(0.5);
        expect(shareOf(undefined, 5)).toBe(1);
        expect(shareOf(undefined, 1)).toBe(1);
        expect(shareOf(undefined, 0)).toBe(1);
    });
});

describe('a moment', () => {
    const moment = new Date(2026, 0, 31, 14, 5, 9).toISOString();

    it('has its day unless that is today', () => {
        expect(momentWords(moment, new Date(2026, 0, 31, 23).getTime())).toBe('14:05:09');
        expect(momentWords(moment, new Date(2026, 1, 1).getTime())).toMatch(/31.*14:05:09|14:05:09/);
        expect(momentWords(moment, new Date(2026, 1, 1).getTime())).not.toBe('14:05:09');
        expect(momentWords(moment, new Date(2027, 1, 1).getTime())).toContain('2026');
    });

    it('is entered in local time, and read at the end of its second', () => {
        expect(fieldValue(moment)).toBe('2026-01-31T14:05:09');
        const [entered, at] = [fieldValue(moment), Date.parse(moment)];
        const read = (now: number) => Date.parse(momentOf(entered, now) ?? '') - at;
        expect(read(at + 60_000)).toBe(999);
        expect(momentOf('', at)).toBeUndefined();
        expect(momentOf('soon', at)).toBeUndefined();
        // What is left of the second that is not over yet is the future, which the daemon refuses.
        expect(read(at + 300)).toBe(300);
        expect(read(at - 5000)).toBe(0);
    });
});

it('counts events', () => {
    expect([countWords(0), countWords(1), countWords(23)]).toEqual(['0 events', '1 event', '23 events']);
});
