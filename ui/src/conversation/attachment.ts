import { field, type Attachment, type Item } from '../lib/wire';

/** Kinds that a browser shows as they are. The daemon lets nothing else be shown. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export function isImage(attachment: Attachment): boolean {
    return SHOWN.includes(attachment.media_type);
}

/** Returns the files that an item brought. */
export function attachmentsOf(item: Item): Attachment[] {
    return field(item, 'attachments') ?? [];
}

/** Returns where a file of an agent is. */
export function attachmentPath(session: string, attachment: Attachment): string {
    return `/api/sessions/${encodeURIComponent(session)}/attachments/${encodeURIComponent(attachment.id)}`;
}

const WIDEST = 256;
const HIGHEST = 160;

/** Returns how large an image is shown: known before it is there, so that nothing moves when it comes. */
export function thumbnail(attachment: Attachment): { width: number; height: number } {
    const width = attachment.width || WIDEST;
    const height = attachment.height || HIGHEST;
    const scale = Math.min(1, WIDEST / width, HIGHEST / height);
    return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Returns a number of bytes as people read it. */
export function fileSize(bytes: number): string {
    if (bytes < 1024) return `${bytes} bytes`;
    if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KB`;
    return `${(Math.ceil((bytes * 10) / (1024 * 1024)) / 10).toString()} MB`;
}
