/** Tasks that are dragged: what is dragged, and where it may be dropped. */

const TYPE = 'text/x-paseo-task';

interface Point {
    readonly x: number;
    readonly y: number;
}

/** Begins to drag a task. */
export function drag(event: DragEvent, task: string): void {
    event.dataTransfer?.setData(TYPE, task);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
}

/** Makes an element take tasks that are dropped on it. Of elements inside of each other, the innermost takes it. */
export function takesTasks(
    dropped: (task: string, at: Point) => void,
    over: (is: boolean) => void,
): (element: HTMLElement) => () => void {
    return (element) => {
        const dragover = (event: DragEvent): void => {
            const taken = event.defaultPrevented || !event.dataTransfer?.types.includes(TYPE);
            over(!taken);
            if (!taken) event.preventDefault();
        };
        const dragleave = (event: DragEvent): void => {
            if (!element.contains(event.relatedTarget as Node | null)) over(false);
        };
        const drop = (event: DragEvent): void => {
            over(false);
            const task = event.dataTransfer?.getData(TYPE);
            if (!task || event.defaultPrevented) return;
            event.preventDefault();
            dropped(task, { x: event.clientX, y: event.clientY });
        };
        element.addEventListener('dragover', dragover);
        element.addEventListener('dragleave', dragleave);
        element.addEventListener('drop', drop);
        return () => {
            element.removeEventListener('dragover', dragover);
            element.removeEventListener('dragleave', dragleave);
            element.removeEventListener('drop', drop);
            over(false);
        };
    };
}
