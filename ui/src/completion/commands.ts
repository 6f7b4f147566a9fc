import type { SlashCommand } from '../lib/wire';

/** How many are offered: a list is for choosing, not for reading. */
const MOST = 20;

/** Returns the commands that match what was typed: those that begin with it, then those that contain it. */
export function matching(commands: readonly SlashCommand[], typed: string): SlashCommand[] {
    const query = typed.toLowerCase();
    const at = ({ name }: SlashCommand) => name.toLowerCase().indexOf(query);
    const begins = commands.filter((command) => at(command) === 0);
    return [...begins, ...commands.filter((command) => at(command) > 0)].slice(0, MOST);
}
