import { InlineContext } from '@lezer/markdown';

/** What the library does most: reads a character, cuts a piece out, tries a pattern, looks at a mark before. */
let steps = 0;

/**
 * Runs something that can ask how many steps the library has taken for it. For tests: meanwhile it changes what all text
 * is made of.
 */
export function counting(act: (taken: () => number) => void): void {
    const undo = [
        counted(String.prototype, 'charCodeAt'),
        counted(String.prototype, 'slice'),
        counted(String.prototype, 'indexOf'),
        counted(RegExp.prototype, 'exec'),
        counted(RegExp.prototype, 'test'),
        countedMarks(),
    ];
    steps = 0;
    try {
        act(() => steps);
    } finally {
        for (const restore of undo) restore();
    }
}

function counted<T extends object>(of: T, name: keyof T): () => void {
    const original = of[name] as (...args: unknown[]) => unknown;
    (of as Record<keyof T, unknown>)[name] = function (this: unknown, ...args: unknown[]) {
        steps += 1;
        return original.apply(this, args);
    };
    return () => ((of as Record<keyof T, unknown>)[name] = original);
}

/** The marks of a paragraph are in an array, which the library looks through from end to end. */
function countedMarks(): () => void {
    const arrays = new WeakMap<object, unknown[]>();
    Object.defineProperty(InlineContext.prototype, 'parts', {
        configurable: true,
        get(this: object) {
            return arrays.get(this);
        },
        set(this: object, parts: unknown[]) {
            const get = (target: unknown[], key: string | symbol) => {
                steps += 1;
                return Reflect.get(target, key) as unknown;
            };
            arrays.set(this, new Proxy(parts, { get }));
        },
    });
    return () => delete (InlineContext.prototype as unknown as Record<string, unknown>)['parts'];
}
