import type { Offer } from '../completion/Offered.svelte';
import { visibleLine } from '../lib/visible';
import type { Participant } from '../lib/wire';
import { engineOf, shownParticipant } from './words';

/** Returns the participants that fit what was typed after an `@`: by id, nickname or role. */
export function mentionable(
    invited: readonly Participant[],
    query: string,
    stateOf: (id: string) => string,
): Offer[] {
    const typed = query.toLowerCase();
    const fits = ({ id, profile }: Participant) =>
        [id, profile.nickname ?? '', ...(profile.roles ?? [])].some((word) =>
            word.toLowerCase().startsWith(typed),
        );
    return invited.filter(fits).map((participant) => ({
        value: participant.id,
        title: shownParticipant(participant),
        detail: [
            stateOf(participant.id),
            engineOf(participant),
            ...(participant.profile.roles ?? []).map(visibleLine),
        ]
            .filter(Boolean)
            .join(' · '),
    }));
}
