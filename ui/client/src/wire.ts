import type { components } from './api.js';

/** Everything that the API sends and takes, by the names of `openapi.json`. */
export type Schemas = components['schemas'];

export type SessionView = Schemas['SessionView'];
export type SessionPage = Schemas['SessionPage'];
export type SessionLines = Schemas['SessionLines'];
export type ItemView = Schemas['ItemView'];
export type Receipt = Schemas['Receipt'];
export type CreateSession = Schemas['CreateSession'];
export type CreatedSession = Schemas['CreatedSession'];
export type SendMessage = Schemas['SendMessage'];
export type UploadedAttachment = Schemas['UploadedAttachment'];
export type ErrorBody = Schemas['ErrorBody'];
export type SessionChange = Schemas['SessionChange'];
export type TeamChange = Schemas['TeamChange'];
export type CauseChange = Schemas['CauseChange'];
export type EventFrame = Schemas['EventFrame'];
export type ItemFrame = Schemas['ItemFrame'];
export type LiveFrame = Schemas['LiveFrame'];
export type ThreadFrame = Schemas['ThreadFrame'];
export type TeamFrame = Schemas['TeamFrame'];
export type CauseFrame = Schemas['CauseFrame'];
