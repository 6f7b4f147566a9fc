import type { Ask, Question, QuestionAnswer } from '../lib/wire';

/** What a person has chosen and written so far, for one question. */
export interface Given {
    readonly chosen: readonly number[];
    readonly other: string;
}

export const NOTHING: Given = { chosen: [], other: '' };

/** Presses an option. A question that takes one answer keeps no other. */
export function press(question: Question, given: Given, option: number): Given {
    const { chosen, other } = given;
    if (!question.multiple) return { chosen: chosen.includes(option) ? [] : [option], other: '' };
    // In the order of the options, whatever is chosen first.
    const all = question.options.map((_, at) => at);
    return { chosen: all.filter((at) => (at === option) !== chosen.includes(at)), other };
}

/** Writes an answer in own words. */
export function write(question: Question, given: Given, other: string): Given {
    const alone = !question.multiple && other.trim() !== '';
    return { chosen: alone ? [] : given.chosen, other };
}

/** Returns the answers to questions, in their order. `undefined` while one is without an answer. */
export function answersOf(given: readonly Given[]): QuestionAnswer[] | undefined {
    const answers = given.map(({ chosen, other }) => ({ chosen: [...chosen], text: other.trim() || null }));
    return answers.every(({ chosen, text }) => chosen.length > 0 || text !== null) ? answers : undefined;
}

/** Says whether a request has answers of its own, beside allowing and denying it. */
export function isStructured({ terminal, questions, plan, fields }: Ask): boolean {
    return !terminal && (Boolean(questions?.length) || Boolean(plan) || Boolean(fields?.length));
}
