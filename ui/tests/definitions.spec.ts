import { expect, test } from './app';
import { MAY_READ, MAY_WRITE, Pages, READS, WRITES } from './definitions';

test('what a person saves counts at once', async ({ app, daemon }) => {
    await daemon.define('mine', READS);
    const pages = new Pages(app);
    await pages.open('mine');
    await expect(app.page).toHaveURL(/\/app\/settings\/definitions\/mine$/);
    await expect(pages.text('mine')).toHaveValue(READS);
    await expect(pages.save).toBeDisabled();

    await pages.text('mine').fill(WRITES);
    await pages.save.click();
    await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
    expect(await daemon.placed('mine.toml')).toBe(WRITES);
    expect(await daemon.counts('mine')).toEqual(MAY_WRITE);

    await pages.text('mine').fill(READS);
    await pages.text('mine').press('ControlOrMeta+s');
    // The button is off while it saves, too.
    await expect.poll(() => daemon.counts('mine')).toEqual(MAY_READ);
    await expect(pages.save).toBeDisabled();
});

test('nothing is saved over what changed meanwhile, and no text is lost', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/409|ERR_FAILED/);
    await daemon.define('mine', READS);
    const pages = new Pages(app);
    await pages.open('mine');
    const mine = `name = 'Mine'\n${READS}`;
    const theirs = `name = 'Theirs'\n${READS}`;
    await pages.text('mine').fill(mine);
    // The page cannot look again before the save goes out.
    await app.page.route('**/api/agents/mine/source', (route) => route.abort());
    await daemon.place('mine.toml', theirs);
    const refused = app.page.waitForResponse(/\/api\/agents\/mine$/);
    await pages.save.click();
    expect((await refused).status()).toBe(409);
    await app.page.unroute('**/api/agents/mine/source');
    const conflict = pages.main.getByRole('region', { name: /changed on disk while you were editing/ });
    await expect(conflict).toBeVisible();
    await expect(pages.main.getByText('nothing was saved', { exact: false }).first()).toBeVisible();
    await expect(pages.text('mine')).toHaveValue(mine);
    expect(await daemon.placed('mine.toml')).toBe(theirs);
    await expect(pages.save).toBeDisabled();
    await conflict.getByRole('button', { name: 'Current content of the file' }).click();
    await expect(conflict.locator('pre')).toHaveText(theirs);

    await conflict.getByRole('button', { name: /^Keep my text/ }).click();
    await pages.save.click();
    await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
    expect(await daemon.placed('mine.toml')).toBe(mine);

    // Seen before the save, too, and the other way round.
    await pages.text('mine').fill(WRITES);
    await daemon.place('mine.toml', theirs);
    await conflict.getByRole('button', { name: /^Discard my text/ }).click();
    await expect(pages.text('mine')).toHaveValue(theirs);
    expect(await daemon.counts('mine')).toEqual(MAY_READ);
});

test('a mistake is shown at its line, and nothing is saved', async ({ app, daemon, complaints }) => {
    complaints.allow(/400/);
    await daemon.define('mine', READS);
    const pages = new Pages(app);
    await pages.open('mine');
    await pages.text('mine').fill("name = 'M'\n\nshape = 'round'\n");
    const problems = pages.main.getByRole('list', { name: 'Problems' });
    // While it is written, before anybody saves it.
    await expect(problems).toContainText('shape');
    await pages.text('mine').fill("name = 'M'\n\nname = \ntools = ['read']\n");
    await expect(problems).not.toContainText('shape');
    await expect(problems.getByRole('button')).toHaveText(['Line 3']);
    await pages.save.click();
    await expect(pages.text('mine')).toBeFocused();
    const selected = await pages.text('mine').evaluate((field: HTMLTextAreaElement) => {
        return field.value.slice(field.selectionStart, field.selectionEnd);
    });
    expect(selected).toBe('name = ');
    // The band lies on the third line.
    const band = (await pages.main.locator('[data-line="3"]').boundingBox())!;
    const field = (await pages.text('mine').boundingBox())!;
    expect(Math.floor((band.y + band.height / 2 - field.y - 8) / 24)).toBe(2);
    expect(await daemon.placed('mine.toml')).toBe(READS);

    await pages.text('mine').fill(WRITES);
    await expect(problems).toHaveCount(0);
    await pages.save.click();
    await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
    expect(await daemon.placed('mine.toml')).toBe(WRITES);
});

test('what was typed stays until it is saved', async ({ app, daemon, complaints }) => {
    complaints.allow(/^dialog: /);
    await daemon.define('mine', READS);
    await daemon.agent('busy', '<<say hi>>');
    const pages = new Pages(app);
    await pages.open('mine');
    await pages.text('mine').fill(WRITES);
    await app.agents();
    await app.open('busy');
    await pages.list();
    await expect(pages.row('mine')).toContainText('unsaved');
    await pages.row('mine').click();
    await expect(pages.text('mine')).toHaveValue(WRITES);

    const warned = app.page.waitForEvent('dialog');
    // A cancelled reload never settles.
    await app.page.evaluate(() => void setTimeout(() => location.reload()));
    expect((await warned).type()).toBe('beforeunload');
    await expect(pages.text('mine')).toHaveValue(WRITES);
    await pages.save.click();
    await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
    await app.page.reload();
    await expect(pages.text('mine')).toHaveValue(WRITES);
});

test('a new definition is made, once', async ({ app, daemon, complaints }) => {
    complaints.allow(/400|404|409/);
    const pages = new Pages(app);
    await app.page.keyboard.press('d');
    await app.page.getByRole('link', { name: 'New definition' }).click();
    const slug = pages.main.getByRole('textbox', { name: /^Slug/ });
    const create = pages.main.getByRole('button', { name: 'Create' });
    await expect(create).toBeDisabled();
    await slug.fill('a b');
    await expect(create).toBeDisabled();
    await slug.fill('fresh');
    await create.click();
    await expect(app.page).toHaveURL(/\/app\/settings\/definitions\/fresh$/);
    await expect(pages.text('fresh')).toHaveValue(/^name = "Reviewer"/);
    expect(await daemon.counts('fresh')).toEqual(MAY_READ);

    await app.page.goto(app.page.url().replace('definitions/fresh', 'new-definition'));
    await slug.fill('fresh');
    await expect(pages.main.getByRole('link', { name: 'open fresh' })).toBeVisible();
    await expect(create).toBeDisabled();
    // Another client saved first, and this page does not know.
    await slug.fill('taken');
    await app.page.route('**/api/agents/taken', async (route) => {
        await daemon.place('taken.toml', READS);
        await route.continue();
    });
    await create.click();
    await expect(pages.main.getByRole('alert')).toContainText('already exists; nothing was saved');
    expect(await daemon.placed('taken.toml')).toBe(READS);
});

test('addresses lead to what they name, or say that it is not there', async ({ app, daemon, complaints }) => {
    complaints.allow(/404/);
    await daemon.place('other.md', '---\nname: Other\n---\nSay little.\n');
    const pages = new Pages(app);
    const origin = new URL(app.page.url()).origin;
    await app.page.goto(`${origin}/app/definitions/nowhere`);
    await expect(pages.main.getByRole('heading', { name: 'Definition “nowhere” not found' })).toBeVisible();
    await pages.main.getByRole('button', { name: 'Back to the definitions' }).click();
    await pages.row('other').click();
    await expect(pages.main.getByLabel(/^Text of/)).toContainText('Say little.');
    await expect(pages.main.getByText('paseo agents edit other')).toBeVisible();
    await expect(pages.save).toHaveCount(0);

    await app.page.goto(`${origin}/app/definitions/default`);
    await expect(pages.main.getByText('This definition is built in.')).toBeVisible();
    await pages.main.getByRole('button', { name: 'Write your own' }).click();
    await expect(pages.text('default')).toHaveValue(/^name = /);
    await app.page.evaluate(() => history.pushState(null, '', '/app/elsewhere'));
    await app.page.evaluate(() => window.dispatchEvent(new PopStateEvent('popstate')));
    await expect(pages.main.getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test.describe('on a phone', () => {
    test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

    test('one thumb changes a definition', async ({ app, daemon }) => {
        await daemon.define('mine', READS);
        await daemon.place('mine.toml', WRITES);
        const pages = new Pages(app);
        await app.page.getByRole('button', { name: 'More' }).tap();
        await app.page.getByRole('link', { name: 'Settings' }).tap();
        await pages.link.tap();
        await expect(app.page.getByRole('navigation', { name: 'Agents' })).toBeHidden();
        await pages.row('mine').tap();
        await expect(pages.trust).toBeVisible();
        const wide = () => app.page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(await wide()).toBe(false);
        for (const button of await pages.main.getByRole('button').all())
            expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
        await pages.trust.scrollIntoViewIfNeeded();
        await expect(pages.trust).toBeEnabled();
        await pages.trust.tap();
        await expect(pages.trust).toHaveCount(0);
        await pages.text('mine').fill(READS);
        await pages.save.tap();
        await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
        expect(await daemon.counts('mine')).toEqual(MAY_READ);
        await app.page.goBack();
        await expect(pages.row('mine')).toBeVisible();
        await pages.main.getByRole('button', { name: 'Back to the settings' }).tap();
        await expect(pages.link).toBeVisible();
        await app.agents();
    });
});
