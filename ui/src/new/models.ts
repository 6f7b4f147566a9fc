interface Model {
    readonly id: string;
    readonly default: boolean;
    readonly efforts: readonly string[];
}

/** Returns the words for how hard the chosen model thinks; of one that does not say, those of its provider. */
export function effortsOf(
    provider: { readonly capabilities: { readonly efforts: readonly string[] } } | undefined,
    models: readonly Model[],
    chosen: string,
): readonly string[] {
    const id = chosen.trim();
    const model = models.find((each) => (id === '' ? each.default : each.id === id));
    return model && model.efforts.length > 0 ? model.efforts : (provider?.capabilities.efforts ?? []);
}

interface Named {
    readonly value: string;
    readonly detail?: string;
}

/** Returns what has all the letters that were typed next to each other, in its name or its id. */
export function fitting<T extends Named>(all: readonly T[], typed: string): T[] {
    const word = typed.trim().toLowerCase();
    return all.filter(({ value, detail }) => `${value} ${detail ?? ''}`.toLowerCase().includes(word));
}
