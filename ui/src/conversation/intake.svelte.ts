import type { Attachments } from './attachments.svelte';

/** Attaches files that are pasted into a form or dropped on it; text is pasted as ever. */
export class FileIntake {
    /** Files are held over the form. */
    over = $state(false);

    constructor(
        private readonly attachments: Attachments,
        private readonly done: () => void,
    ) {}

    readonly onpaste = (event: ClipboardEvent): void => {
        const files = event.clipboardData?.files;
        if (!files?.length) return;
        event.preventDefault();
        this.attachments.add(files);
    };

    readonly ondragover = (event: DragEvent): void => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        this.over = true;
    };

    readonly ondragleave = (): void => {
        this.over = false;
    };

    readonly ondrop = (event: DragEvent): void => {
        this.over = false;
        if (!carriesFiles(event)) return;
        event.preventDefault();
        this.attachments.add(event.dataTransfer?.files ?? []);
        this.done();
    };
}

function carriesFiles(event: DragEvent): boolean {
    return event.dataTransfer?.types.includes('Files') ?? false;
}
