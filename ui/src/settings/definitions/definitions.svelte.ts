import { PaseoError } from '@paseo/client';
import { SvelteMap } from 'svelte/reactivity';
import { api, explain } from '../../lib/client';
import { whole } from '../../lib/pages';
import { toReview } from './trust';
import { isUnsaved, resolve, saved, take, typed, type Draft } from './draft';
import type { DefinitionList, DefinitionProblem, PendingDefinition } from '../../lib/wire';

/** How often files are looked at while their page is open: nothing tells of a change on disk. */
const EVERY_MS = 3000;

/** What a new definition begins with. */
export const TEMPLATE = `name = "Reviewer"
description = "Reviews changes without editing files"

# Leave out fields whose default is fine.
permissions = "read-only" # full, ask or read-only
tools = ["read"]          # read, edit, bash, or names of tools

system_prompt = """
You review changes. Say what is wrong, where, and how sure you are.
"""
`;

/** The definitions of a project that are not trusted, as they stand in their files. */
export interface Review {
    /** The version of all files together to which the texts belong. */
    readonly sha256: string;
    readonly texts: ReadonlyMap<string, readonly { readonly file: string; readonly text?: string | null }[]>;
}

/** How a save ended. */
export type Saved =
    | { is: 'saved' }
    | { is: 'wrong'; problems: readonly DefinitionProblem[] }
    | { is: 'refused'; why: string };

/** The definitions of agents, and what a person changes in them. What was typed lasts until the page is left. */
class Definitions {
    private readonly lists = new SvelteMap<string, DefinitionList>();
    private readonly reviews = new SvelteMap<string, Review>();
    private readonly drafts = new SvelteMap<string, Draft>();
    /** Why the last reading of a definition failed, by slug. */
    private readonly refused = new SvelteMap<string, PaseoError>();
    /** The newest question that was answered, by what it is about: an answer to an older one comes too late. */
    private readonly answered = new Map<string, number>();
    private asked = 0;
    /** A definition that is not there yet. */
    created = $state({ slug: '', text: TEMPLATE });
    problem = $state('');

    /** How many changes of the user's own definitions wait for a person. */
    readonly waiting = $derived(this.lists.get('')?.pending?.length ?? 0);
    readonly unsaved = $derived(
        this.created.slug !== '' ||
            this.created.text !== TEMPLATE ||
            [...this.drafts.values()].some(isUnsaved),
    );

    /** Returns the definitions that there are in a project, or without one. */
    list(project: string): DefinitionList | undefined {
        return this.lists.get(project);
    }

    draft(slug: string): Draft | undefined {
        return this.drafts.get(slug);
    }

    refusal(slug: string): PaseoError | undefined {
        return this.refused.get(slug);
    }

    /** Keeps the list up to date while it is displayed. Returns a function that stops this. */
    follow(project: string, slug?: string): () => void {
        const look = () => {
            if (document.visibilityState !== 'visible') return;
            void this.read(project);
            if (slug) void this.open(slug, project);
        };
        look();
        const timer = setInterval(look, EVERY_MS);
        window.addEventListener('focus', look);
        return () => {
            clearInterval(timer);
            window.removeEventListener('focus', look);
        };
    }

    async read(project = ''): Promise<void> {
        const asked = ++this.asked;
        try {
            const pages = api.pages('/api/agents', { query: queryOf(project) });
            const list = await whole(pages, ({ agents }) => agents);
            if (this.isNews(`list ${project}`, asked)) this.keep(project, list);
            this.problem = '';
        } catch (error) {
            this.problem = explain(error);
        }
    }

    /** Reads the files of a definition. */
    async open(slug: string, project: string): Promise<void> {
        const asked = ++this.asked;
        try {
            const options = { path: { slug }, query: queryOf(project) };
            const source = await api.get('/api/agents/{slug}/source', options);
            if (!this.isNews(slug, asked)) return;
            this.refused.delete(slug);
            this.drafts.set(slug, take(this.drafts.get(slug), source));
        } catch (error) {
            if (!(error instanceof PaseoError) || !this.isNews(slug, asked)) return;
            // Removed meanwhile; the person's draft stays.
            const draft = this.drafts.get(slug);
            if (draft && isUnsaved(draft))
                this.drafts.set(slug, take(draft, { ...draft.base, text: null, version: null }));
            else {
                this.drafts.delete(slug);
                this.refused.set(slug, error);
            }
        }
    }

    type(slug: string, text: string): void {
        this.change(slug, (draft) => typed(draft, text));
    }

    resolve(slug: string, keep: 'theirs' | 'mine'): void {
        this.change(slug, (draft) => resolve(draft, keep));
    }

    /** Saves what a person wrote, in place of what they began with and of nothing else. */
    async save(slug: string, project: string): Promise<Saved> {
        const draft = this.drafts.get(slug);
        if (!draft) return { is: 'refused', why: 'it is not loaded yet' };
        const { text, base } = draft;
        const done = await this.write(slug, text, base.version ?? null);
        if (done.is === 'saved') this.change(slug, (now) => saved(now, text));
        if (done.is !== 'wrong') await Promise.all([this.open(slug, project), this.read(project)]);
        return done;
    }

    /** Makes a definition that is not there yet. */
    async create(): Promise<Saved> {
        const { slug, text } = this.created;
        const done = await this.write(slug, text, null);
        if (done.is === 'saved') this.created = { slug: '', text: TEMPLATE };
        return done;
    }

    /** Makes exactly the change count that a person saw. Returns why that was refused. */
    async trust(pending: PendingDefinition, project: string): Promise<string | undefined> {
        const { slug, sha256 } = pending;
        const body = { sha256, project: project || null };
        const refused = await this.decide(project, () =>
            api.post('/api/agents/{slug}/trust', { path: { slug }, body }),
        );
        if (refused !== undefined) return refused;
        void this.open(slug, project);
        if (project) void this.read();
        return undefined;
    }

    review(project: string): Review | undefined {
        return this.reviews.get(project);
    }

    /** Reads what a person would trust. Texts count only if no file changed while they were read. Returns why it failed. */
    async lookThrough(project: string): Promise<string | undefined> {
        const list = this.lists.get(project);
        const sha256 = list?.project?.sha256;
        if (!list || sha256 === undefined) return undefined;
        const slugs = toReview(list).map(({ definition }) => definition.slug);
        try {
            const texts = await Promise.all(
                slugs.map(async (slug) => {
                    const options = { path: { slug }, query: queryOf(project) };
                    const { others } = await api.get('/api/agents/{slug}/source', options);
                    return [slug, others.filter(({ origin }) => origin === 'project')] as const;
                }),
            );
            await this.read(project);
            if (this.lists.get(project)?.project?.sha256 === sha256)
                this.reviews.set(project, { sha256, texts: new Map(texts) });
            return undefined;
        } catch (error) {
            return explain(error);
        }
    }

    /** Makes exactly the files of a project count that a person saw. Returns why that was refused. */
    trustProject(project: string, sha256: string): Promise<string | undefined> {
        return this.decide(project, () => api.post('/api/projects/trust', { body: { project, sha256 } }));
    }

    /** Makes no definition of a project count. Returns why that was refused. */
    distrustProject(project: string): Promise<string | undefined> {
        return this.decide(project, () => api.delete('/api/projects/trust', { query: { project } }));
    }

    private async decide(project: string, ask: () => Promise<DefinitionList>): Promise<string | undefined> {
        try {
            const list = await ask();
            this.answered.set(`list ${project}`, ++this.asked);
            this.keep(project, list);
            return undefined;
        } catch (error) {
            void this.read(project);
            return explain(error);
        }
    }

    private async write(slug: string, text: string, version: string | null): Promise<Saved> {
        try {
            const list = await api.put('/api/agents/{slug}', { path: { slug }, body: { text, version } });
            // Whatever was asked before this knows nothing of it.
            for (const about of ['list ', slug]) this.answered.set(about, ++this.asked);
            this.keep('', list);
            return { is: 'saved' };
        } catch (error) {
            if (error instanceof PaseoError && error.problems.length > 0)
                return { is: 'wrong', problems: error.problems };
            return { is: 'refused', why: explain(error) };
        }
    }

    private isNews(about: string, asked: number): boolean {
        if (asked < (this.answered.get(about) ?? 0)) return false;
        this.answered.set(about, asked);
        return true;
    }

    /** A list that says the same changes nothing on the page. */
    private keep(project: string, list: DefinitionList): void {
        if (JSON.stringify(this.lists.get(project)) !== JSON.stringify(list)) this.lists.set(project, list);
    }

    private change(slug: string, how: (draft: Draft) => Draft): void {
        const draft = this.drafts.get(slug);
        if (draft) this.drafts.set(slug, how(draft));
    }
}

function queryOf(project: string): { project?: string } {
    return project ? { project } : {};
}

export const definitions = new Definitions();
