import { Backoff, PaseoError } from '@paseo/client';
import { SvelteMap } from 'svelte/reactivity';
import { Attachments } from '../conversation/attachments.svelte';
import { drafts } from '../conversation/drafts';
import { api, explain } from '../lib/client';
import type { PlaceNotes, Provider, Team } from '../lib/wire';
import { fieldOf, problemsOf, requestOf, USUAL, type Options, type Problems, type Wanted } from './options';
import { formerPrompt, lastChoice, NOTHING, noted, read, written, type Remembered } from './remembered';

const KEY = 'paseo.new';
/** The draft of the prompt and its files. */
const DRAFT = 'new';
const NO_PROBLEMS: Problems = {};
/** How long starting is tried while the daemon is away. Nothing is started twice. */
const PATIENCE_MS = 60_000;

/** The agent that a person is about to start: one for the whole page, wherever its form is shown. */
class NewAgent {
    private kept = $state.raw<Remembered>(stored());
    private typed = $state(drafts.get(DRAFT) || former());
    readonly attachments = new Attachments(drafts.files(DRAFT));
    starting = $state(false);
    /** The pauses between attempts while the daemon cannot be reached. */
    private backoff: Backoff | undefined;
    /** What the daemon refused, at the field that it is about. */
    private refused = $state.raw(NO_PROBLEMS);
    /** What it refused for a reason that belongs to no field. */
    problem = $state('');
    providers = $state.raw<readonly Provider[]>([]);
    /** The daemon would run an agent for which no provider is named. Before it has said so, nothing is claimed. */
    readonly hasDefault = $derived(
        this.providers.length === 0 || this.providers.some((provider) => provider.default),
    );
    teams = $state.raw<readonly Team[]>([]);
    /** What a person should know about where their new agents run, by agent. */
    readonly places = new SvelteMap<string, PlaceNotes>();

    get prompt(): string {
        return this.typed;
    }

    set prompt(prompt: string) {
        this.typed = prompt;
        this.settle('prompt');
    }

    /** Where it is started; empty until a person says so. */
    get directory(): string {
        return this.kept.directory;
    }

    get options(): Options {
        return this.kept.options;
    }

    /** The chosen directory, once the daemon has said that it is there: what is half typed is none. */
    private present = $state('');

    /** Says whether a directory that a person chose is there. */
    isPresent(directory: string): boolean {
        return directory !== '' && directory === this.present;
    }

    /** Asks whether the chosen directory is there. Without an answer, it counts as if it were not. */
    async confirm(): Promise<void> {
        const { directory } = this;
        if (!directory.startsWith('/') || this.isPresent(directory)) return;
        try {
            const path = directory.replace(/(?<=.)\/+$/, '');
            const { directories } = await api.get('/api/directories', { query: { path } });
            if (directories.some((found) => found.path === path)) this.present = directory;
        } catch {
            // Starting says what is wrong with it.
        }
    }

    /** Directories in which agents were started from this browser, the newest first. */
    readonly recent = $derived(this.kept.projects.map(([directory]) => directory).reverse());

    type(directory: string): void {
        this.keep({ ...this.kept, directory });
        this.settle('directory');
    }

    /** Chooses a directory, and what was chosen there the last time. */
    choose(directory: string): void {
        const options = lastChoice(this.kept.projects, directory) ?? this.kept.options;
        this.keep({ ...this.kept, directory, options });
        this.settle('directory');
        void this.confirm();
    }

    set<Key extends keyof Options>(key: Key, value: Options[Key]): void {
        this.keep({ ...this.kept, options: { ...this.kept.options, [key]: value } });
        this.settle(key);
    }

    /** Returns what is wrong with the form as it is, by field. */
    problems(directory: string): Problems {
        return { ...this.refused, ...problemsOf(this.wanted(directory)) };
    }

    /** Reads what can be chosen from. Without an answer, the fields take what is typed. */
    async look(): Promise<void> {
        const [providers, teams] = await Promise.allSettled([
            api.get('/api/providers'),
            api.get('/api/teams'),
        ]);
        if (providers.status === 'fulfilled') this.providers = providers.value.providers;
        if (teams.status === 'fulfilled') this.teams = teams.value.teams.filter((team) => !team.closed_at);
    }

    /** Starts the agent. Returns its id, or nothing when it was refused: then nothing that was typed is lost. */
    async start(directory: string): Promise<string | undefined> {
        if (this.starting) return undefined;
        const wanted = this.wanted(directory);
        this.starting = true;
        const backoff = (this.backoff = new Backoff({ patience: PATIENCE_MS }));
        this.problem = '';
        this.refused = NO_PROBLEMS;
        try {
            const { session, place } = await api.create(requestOf(wanted), { backoff });
            const projects = noted(this.kept.projects, directory, wanted.options);
            const options = lastChoice(projects, directory) ?? USUAL;
            this.keep({ directory: '', options, projects });
            this.typed = '';
            this.attachments.take();
            if (place) this.places.set(session.id, place);
            return session.id;
        } catch (error) {
            const words = explain(error);
            const field =
                error instanceof PaseoError ? fieldOf(error.message, error.code, wanted) : undefined;
            if (field) this.refused = { [field]: words };
            else this.problem = words;
            return undefined;
        } finally {
            this.starting = false;
            this.backoff = undefined;
        }
    }

    /** Tries again now what waits for the daemon. */
    readonly hurry = (): void => this.backoff?.hurry();

    private wanted(directory: string): Wanted {
        const attachments = this.attachments.files.flatMap(({ attachment }) => attachment?.id ?? []);
        return { prompt: this.prompt, directory, options: this.options, attachments };
    }

    /** A refusal is about what was sent, not about what is typed now. */
    private settle(field: keyof Problems): void {
        if (this.refused[field]) this.refused = NO_PROBLEMS;
        this.problem = '';
    }

    private keep(remembered: Remembered): void {
        this.kept = remembered;
        try {
            localStorage.setItem(KEY, written(remembered));
        } catch {
            // Storage may be off or full; what was typed then lasts as long as the page.
        }
    }
}

function stored(): Remembered {
    try {
        return read(localStorage.getItem(KEY));
    } catch {
        return NOTHING;
    }
}

function former(): string {
    try {
        return formerPrompt(localStorage.getItem(KEY));
    } catch {
        return '';
    }
}

export const newAgent = new NewAgent();

// A file may be uploaded while no form is shown.
$effect.root(() => {
    $effect(() => drafts.set(DRAFT, newAgent.prompt, newAgent.attachments.uploaded));
});
