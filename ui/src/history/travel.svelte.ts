import { explain } from '../lib/client';
import { Latest } from './latest';
import { positionOf, stepped, versionAt, type Position } from './position';
import type { Past, Point, Source } from './source';

/**
 * Where a page is in the history of what it shows: in the present, or at an event of the past. A page renders `past`
 * read-only while there is one.
 */
export class Travel<State> {
    /** The controls are shown. */
    open = $state(false);
    /** Where the slider is; what is shown follows. */
    position = $state<Position>();
    /** What is shown instead of the present. */
    past = $state.raw<Past<State>>();
    reading = $state(false);
    problem = $state('');
    readonly newest = $derived.by(() => this.present());
    readonly version = $derived.by(() => versionAt(this.position, this.newest));
    /** The page shows the past, or is on its way there. */
    readonly away = $derived(this.position !== undefined || this.past !== undefined);
    private readonly latest: Latest<Point, Past<State>>;

    /** `present` returns the version of the newest event that the page knows. */
    constructor(
        readonly source: Source<State>,
        private readonly present: () => number,
    ) {
        this.latest = new Latest(
            (point) => this.source.read(point),
            (past, isLast) => this.arrive(past, isLast),
            (error) => {
                this.problem = explain(error);
                this.reading = false;
                this.position = this.past?.version;
            },
        );
    }

    /** Goes to a version; to the present if it is the newest. */
    go(version: number): void {
        const position = positionOf(version, this.newest);
        if (position === undefined) {
            this.back();
            return;
        }
        this.position = position;
        this.want({ version: position });
    }

    step(by: number): void {
        this.go(versionAt(stepped(this.position, by, this.newest), this.newest));
    }

    /** Goes to a moment, wherever that is. */
    goTo(moment: string): void {
        this.want({ at: moment });
    }

    /** Goes to the present. */
    back(): void {
        this.latest.drop();
        this.position = undefined;
        this.past = undefined;
        this.reading = false;
        this.problem = '';
    }

    toggle(): void {
        this.open = !this.open;
        if (!this.open) this.back();
    }

    private want(point: Point): void {
        this.problem = '';
        this.reading = true;
        this.latest.want(point);
    }

    private arrive(past: Past<State>, isLast: boolean): void {
        if (isLast && positionOf(past.version, this.newest) === undefined) {
            this.back();
            return;
        }
        this.past = past;
        if (!isLast) return;
        this.position = past.version;
        this.reading = false;
    }
}
