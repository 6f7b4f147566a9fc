import type { Frame as AnyFrame, Schemas } from '@paseo/client';

export type Agent = Schemas['SessionView'];
export type AgentPage = Schemas['SessionPage'];
export type AgentAnswer = Schemas['SessionAnswer'];
export type Item = Schemas['ItemView'];
export type ItemPage = Schemas['ItemPage'];
export type Receipt = Schemas['Receipt'];
export type Ask = Schemas['OpenAsk'];
export type AskPage = Schemas['AskPage'];
export type AnswerPermission = Schemas['AnswerPermission'];
export type Attachment = Schemas['AttachmentView'];
export type Verb = Schemas['Verb'];
export type ErrorBody = Schemas['ErrorBody'];
export type Definition = Schemas['AgentEntry'];
export type DefinitionList = Schemas['AgentList'];
export type DefinitionProblem = Schemas['AgentProblem'];
export type DefinitionSource = Schemas['AgentSource'];
export type PendingDefinition = Schemas['PendingAgent'];
export type EventFrame = Schemas['EventFrame'];
export type SessionChange = Schemas['SessionChange'];
export type ItemFrame = Schemas['ItemFrame'];
export type LiveFrame = Schemas['LiveFrame'];

/** One thing that the event stream brought, of those that the page follows. */
export type Frame = Extract<AnyFrame, { type: 'event' | 'item' | 'live' }>;

/** Returns a field of an item when it is text. */
export function field(item: Item, name: string): string | undefined {
    const value = (item.fields as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : undefined;
}

/** Returns a field of an item when it is a number. */
export function count(item: Item, name: string): number | undefined {
    const value = (item.fields as Record<string, unknown>)[name];
    return typeof value === 'number' ? value : undefined;
}

/** The web app shows it on its own account. */
export function isUi(agent: Agent): boolean {
    return agent.labels['ui'] === 'true';
}

/** Returns the slug of the definition that it follows, unless that is the usual one. */
export function definitionOf(agent: Agent): string | undefined {
    return agent.agent === 'default' ? undefined : agent.agent || undefined;
}

/** A turn is under way. */
export function isBusy(agent: Agent): boolean {
    return agent.status === 'starting' || agent.status === 'running' || agent.status === 'waiting';
}

/** It has a name: people's, or its own. */
export function isNamed(agent: Agent): boolean {
    return Boolean(agent.name || agent.title);
}

/** What people call it: their name for it, else its own title, else where it works and its handle. */
export function shownName(agent: Agent): string {
    return agent.name || agent.title || `${folderOf(agent.project)} ${agent.handle}`;
}

/** Returns the last part of a path. */
export function folderOf(path: string): string {
    return path.split('/').filter(Boolean).at(-1) ?? path;
}
