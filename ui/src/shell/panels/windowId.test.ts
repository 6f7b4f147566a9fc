import { expect, it } from 'vitest';
import { windowId } from './windowId';

function store() {
    const all = new Map<string, string>();
    return {
        getItem: (key: string) => all.get(key) ?? null,
        setItem: (key: string, value: string) => void all.set(key, value),
    };
}

it('is kept for a window, and another one has its own', () => {
    const [one, other] = [store(), store()];
    const id = windowId(() => one);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(windowId(() => one)).toBe(id);
    expect(windowId(() => other)).not.toBe(id);
});

it('needs no store', () => {
    expect(
        windowId(() => {
            throw new Error('not allowed');
        }),
    ).toMatch(/^[0-9a-f]{16}$/);
});
