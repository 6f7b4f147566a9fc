import { expect, it } from 'vitest';
import { Latest } from './latest';

/** Answers that come when the test says so. */
function desk() {
    const asked: number[] = [];
    const open: { resolve: (answer: string) => void; reject: (error: Error) => void }[] = [];
    const taken: [string, boolean][] = [];
    const failed: unknown[] = [];
    const latest = new Latest<number, string>(
        (wish) => {
            asked.push(wish);
            return new Promise((resolve, reject) => open.push({ resolve, reject }));
        },
        (answer, isLast) => taken.push([answer, isLast]),
        (error) => failed.push(error),
    );
    const settle = async (act: (one: NonNullable<(typeof open)[number]>) => void) => {
        const one = open.shift();
        if (!one) throw new Error('nothing was asked');
        act(one);
        await new Promise((resolve) => setTimeout(resolve));
    };
    return { latest, asked, taken, failed, settle };
}

it('asks for the newest of the wishes that came meanwhile', async () => {
    const { latest, asked, taken, settle } = desk();
    latest.want(1);
    latest.want(2);
    latest.want(3);
    expect(asked).toEqual([1]);
    await settle(({ resolve }) => resolve('one'));
    expect(asked).toEqual([1, 3]);
    await settle(({ resolve }) => resolve('three'));
    expect(taken).toEqual([
        ['one', false],
        ['three', true],
    ]);
});

it('takes no answer to what was dropped', async () => {
    const { latest, asked, taken, settle } = desk();
    latest.want(1);
    latest.want(2);
    latest.drop();
    await settle(({ resolve }) => resolve('one'));
    expect(asked).toEqual([1]);
    expect(taken).toEqual([]);
    latest.want(4);
    await settle(({ resolve }) => resolve('four'));
    expect(taken).toEqual([['four', true]]);
});

it('tells of a failure only if nothing newer is wanted', async () => {
    const { latest, failed, taken, settle } = desk();
    latest.want(1);
    latest.want(2);
    await settle(({ reject }) => reject(new Error('lost')));
    expect(failed).toEqual([]);
    await settle(({ reject }) => reject(new Error('gone')));
    expect(failed).toEqual([new Error('gone')]);
    latest.want(3);
    await settle(({ resolve }) => resolve('three'));
    expect(taken).toEqual([['three', true]]);
});
