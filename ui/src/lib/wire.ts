import { visibleLine } from './visible';
import type { Frame as AnyFrame, Schemas } from '@paseo/client';

export type Agent = Schemas['SessionView'];
export type AgentPage = Schemas['SessionPage'];
export type Item = Schemas['ItemView'];
export type ItemPage = Schemas['ItemPage'];
export type Receipt = Schemas['Receipt'];
export type Stage = Schemas['Stage'];
export type Turn = Schemas['TurnView'];
export type Queue = Schemas['Queue'];
export type QueuedMessage = Schemas['QueuedMessage'];
export type MoveMessage = Schemas['MoveMessage'];
export type Ask = Schemas['PermissionRequest'];
export type Question = Schemas['QuestionView'];
export type QuestionAnswer = Schemas['QuestionAnswer'];
export type Plan = Schemas['PlanView'];
export type FormField = Schemas['FieldView'];
export type Link = Schemas['LinkView'];
export type InboxAgent = Schemas['InboxAgent'];
export type InboxCounts = Schemas['InboxCounts'];
export type InboxFinished = Schemas['InboxFinished'];
export type InboxRequest = Schemas['InboxRequest'];
export type InboxWorking = Schemas['InboxWorking'];
export type PermissionRequestPage = Schemas['PermissionRequestPage'];
export type AnswerPermission = Schemas['AnswerPermission'];
export type Attachment = Schemas['AttachmentView'];
export type Verb = Schemas['Verb'];
export type ErrorBody = Schemas['ErrorBody'];
export type Definition = Schemas['AgentEntry'];
export type DefinitionList = Schemas['AgentList'];
export type DefinitionProblem = Schemas['AgentProblem'];
export type DefinitionSource = Schemas['AgentSource'];
export type NewSession = Schemas['CreateSession'];
export type PlaceNotes = Schemas['PlaceNotes'];
export type Provider = Schemas['ProviderView'];
export type Team = Schemas['TeamView'];
export type TeamMember = Schemas['AgentOfTeam'];
export type TeamFrame = Schemas['TeamFrame'];
export type TeamThread = Schemas['ThreadView'];
export type Task = Schemas['TaskView'];
export type CreateTask = Schemas['CreateTask'];
export type EditTask = Schemas['EditTask'];
export type Notice = Schemas['NoticeView'];
export type Refusal = Schemas['RefusalView'];
export type Worker = Schemas['WorkerView'];
export type StartWorker = Schemas['StartWorker'];
export type Thread = Schemas['ThreadView'];
export type ThreadEvent = Schemas['ThreadEvent'];
export type Tool = Schemas['ToolView'];
export type Cause = Schemas['CauseView'];
export type CauseAgent = Schemas['CauseAgent'];
export type CauseMessage = Schemas['CauseMessage'];
export type MapView = Schemas['MapView'];
export type MapAgent = Schemas['MapAgent'];
export type PendingDefinition = Schemas['PendingAgent'];
export type EventFrame = Schemas['EventFrame'];
export type SessionChange = Schemas['SessionChange'];
export type ItemFrame = Schemas['ItemFrame'];
export type SearchHit = Schemas['SearchHit'];
export type LiveFrame = Schemas['LiveFrame'];
export type Notifications = Schemas['Notifications'];
export type NotificationSwitches = Schemas['NotificationSwitches'];
export type Subscribe = Schemas['Subscribe'];
export type Power = Schemas['Power'];
export type Decision = Schemas['Decision'];
export type DelegationState = Schemas['DelegationState'];
export type Diff = Schemas['DiffView'];
export type Rule = Schemas['RuleView'];
export type AddProvider = Schemas['AddProvider'];
export type Device = Schemas['DeviceView'];
export type LoginLink = Schemas['LoginLink'];
export type Token = Schemas['TokenView'];
export type CreatedToken = Schemas['CreatedToken'];
export type Worktree = Schemas['WorktreeEntry'];
export type RemovedWorktree = Schemas['RemovedWorktree'];
export type DaemonStatus = Schemas['DaemonStatus'];
export type SlashCommand = Schemas['CommandView'];
export type Diagnosis = Schemas['Diagnosis'];
export type FileEntry = Schemas['FileEntry'];
export type FilePreview = Schemas['FilePreview'];
export type ModelList = Schemas['ModelList'];
export type UsageReport = Schemas['UsageReport'];
export type UsageRow = Schemas['UsageRow'];
export type Project = Schemas['ProjectView'];
export type ThreadEventPage = Schemas['ThreadEventPage'];
export type ThreadFrame = Schemas['ThreadFrame'];
export type Participant = Schemas['Participant'];
export type Presence = Schemas['PresenceView'];
export type HeldReply = Schemas['HeldReply'];
export type WakePreview = Schemas['WakePreview'];
export type NotWoken = Schemas['NotWoken'];

/** One thing that the event stream brought, of those that the page follows. */
export type Frame = Extract<AnyFrame, { type: 'event' | 'item' | 'live' | 'thread' }>;
/** Those of agents. */
export type AgentFrame = Exclude<Frame, { type: 'thread' }>;

type Fields = Item['fields'];
// What has no fields is a record of nothing, which has every name.
type Names<Each> = Each extends unknown ? (string extends keyof Each ? never : keyof Each) : never;
type Value<Each, Name> = Each extends unknown
    ? string extends keyof Each
        ? never
        : Name extends keyof Each
          ? Each[Name]
          : never
    : never;

/** Returns a field of an item, if its kind has one of that name. Of a deleted agent's items nothing is left. */
export function field<Name extends Names<Fields>>(
    item: Item,
    name: Name,
): NonNullable<Value<Fields, Name>> | undefined {
    const fields: object = item.fields;
    return (fields as Partial<Record<Name, Value<Fields, Name>>>)[name] ?? undefined;
}

/** The web app shows it on its own account. */
export function isUi(agent: Agent): boolean {
    return agent.labels['ui'] === 'true';
}

/** Returns the slug of the definition that it follows, unless that is the usual one. */
export function definitionOf(agent: Pick<Agent, 'agent'>): string | undefined {
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
    return visibleLine(agent.name || agent.title || '') || `${folderOf(agent.project)} ${agent.handle}`;
}

/** Returns the branch of an agent's worktree, unless it is the one that the daemon names after the agent. */
export function ownBranch({ id, worktree }: Agent): string | undefined {
    return worktree && worktree.branch !== `paseo/${id.slice(0, 8)}` ? worktree.branch : undefined;
}

/** Returns the last part of a path, as people may see it. */
export function folderOf(path: string): string {
    return visibleLine(path.split('/').filter(Boolean).at(-1) ?? path);
}
