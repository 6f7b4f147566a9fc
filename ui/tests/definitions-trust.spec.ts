import { expect, expectAccessible, press, test } from './app';
import { EVIL, MAY_READ, MAY_WRITE, Pages, READS, WRITES } from './definitions';

test('a change on disk that grants more waits with its diff, and exactly that is trusted', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/409/);
    await daemon.define('mine', READS);
    const pages = new Pages(app);
    await pages.open('mine');
    await expect(pages.text('mine')).toHaveValue(READS);
    await daemon.place('mine.toml', WRITES);
    // Without a reload.
    const card = pages.main.getByRole('region', { name: 'A newer version is waiting for your review' });
    await expect(card.getByRole('listitem')).toHaveText(['tool native_write']);
    await expect(card.locator('pre .added')).toHaveText(["+tools = ['read', 'edit']"]);
    await expect(card.locator('pre .removed')).toHaveText(["-tools = ['read']"]);
    expect(await daemon.counts('mine')).toEqual({ ...MAY_READ, waiting: 1 });

    // What is written between the look and the click is not what was seen.
    await expect(pages.trust).toBeEnabled();
    const seen = await pages.trust.textContent();
    await app.page.route('**/api/agents/mine/trust', async (route) => {
        await daemon.place('mine.toml', `${WRITES}permissions = 'full'\n`);
        await route.continue();
    });
    await press(pages.trust);
    await expect(pages.trust).not.toHaveText(seen ?? '');
    await expect(card.locator('pre')).toContainText("+permissions = 'full'");
    expect(await daemon.counts('mine')).toEqual({ ...MAY_READ, waiting: 1 });
    await app.page.unroute('**/api/agents/mine/trust');

    await expect(pages.trust).toBeEnabled();
    await press(pages.trust);
    await expect(card).toHaveCount(0);
    expect(await daemon.counts('mine')).toEqual(MAY_WRITE);
    await expect(pages.text('mine')).toHaveValue(`${WRITES}permissions = 'full'\n`);
});

test('a click on a change that has just appeared trusts nothing', async ({ app, daemon }) => {
    await daemon.define('mine', READS);
    await daemon.place('mine.toml', WRITES);
    const pages = new Pages(app);
    let asked = 0;
    await app.page.route('**/trust', (route) => {
        asked++;
        return route.continue();
    });
    // The first moment at which there is a button, as a person who clicks all the time would hit it.
    await app.page.evaluate(() => {
        new MutationObserver((_, observer) => {
            const button = [...document.querySelectorAll('main button')].find((found) =>
                found.textContent?.startsWith('Trust version'),
            );
            if (!(button instanceof HTMLElement)) return;
            observer.disconnect();
            button.click();
            document.body.dataset['clicked'] = 'true';
        }).observe(document.body, { childList: true, subtree: true });
    });
    await pages.open('mine');
    await expect(app.page.locator('body')).toHaveAttribute('data-clicked', 'true');
    await expect(pages.trust).toBeEnabled();
    expect(asked).toBe(0);
    await press(pages.trust);
    await expect(pages.trust).toHaveCount(0);
    expect(asked).toBe(1);
});

test('the list says what waits and what is wrong, with file and line', async ({ app, daemon }) => {
    await daemon.define('mine', `name = 'Mine'\ndescription = 'For this.'\n${READS}`);
    const pages = new Pages(app);
    // The page may have looked between what was written and that it was trusted.
    await pages.list();
    await app.page.reload();
    await expect(pages.link).toHaveText(/^\s*Definitions\s*$/);
    await app.agents();
    await daemon.place('mine.toml', WRITES);
    await daemon.place('broken.toml', "name = 'B'\nbogus = 1\n");
    await app.page.keyboard.press('d');
    await expect(pages.row('mine')).toContainText('Mine');
    await expect(pages.row('mine')).toContainText('For this.');
    await expect(pages.row('mine')).toContainText('scripted');
    await expect(pages.row('mine')).toContainText('/agents/mine.toml');
    await expect(pages.row('mine')).toContainText('needs review');
    await expect(pages.row('broken')).toContainText('broken.toml:2');
    await expect(pages.row('default')).toContainText('built in');
    await app.page.reload();
    await expect(app.page.getByRole('link', { name: /^Definitions 1 waiting for you/ })).toBeVisible();
    await expect(app.page.getByRole('link', { name: /^Settings 1 waiting for you/ })).toBeVisible();

    await pages.row('broken').click();
    await expect(pages.main.getByRole('list', { name: 'Problems' })).toContainText('Line 2');
    await pages.text('broken').fill(READS);
    await pages.text('broken').press('ControlOrMeta+s');
    await expect(pages.main.getByRole('status')).toHaveText('Saved and in effect.');
    await app.page.keyboard.press('Escape');
    await app.page.keyboard.press('Escape');
    await expect(app.page).toHaveURL(/\/app\/settings\/definitions$/);
    await expect(pages.row('broken')).not.toContainText('broken.toml:2');
});

test('text from files is only ever text, and nothing in it is hidden', async ({ app, daemon }) => {
    const evil = `name = '''${EVIL}'''\ndescription = '''${EVIL}'''\n`;
    await daemon.define('evil', `${evil}${READS}`);
    await daemon.place('evil.toml', `${evil}# \u202e${EVIL}\n${WRITES}`);
    await daemon.place('other.md', `---\nname: Other\n---\n${EVIL}\n`);
    await daemon.place('wrong.toml', `"${EVIL}" = 1\n`);
    const pages = new Pages(app);
    await app.page.keyboard.press('d');
    await expect(pages.row('evil')).toContainText('<script>alert(2)');
    await expect(pages.row('wrong')).toContainText('<img src=x');
    await pages.row('evil').click();
    await expect(pages.main.locator('pre .added').first()).toHaveText(`+# \\u{202e}${EVIL}`);
    await expect(pages.text('evil')).toHaveValue(new RegExp('<img src=x'));
    await expect(pages.main.getByRole('list', { name: 'Problems' })).toContainText('Line 3');
    await pages.open('other');
    await expect(pages.main.getByLabel(/^Text of/)).toContainText(EVIL);
    await expect(pages.main.locator('img, script, style, iframe')).toHaveCount(0);
});

test('definitions of a project are reviewed, trusted in exactly that version, and revoked', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/409/);
    await daemon.agent('worker', '<<say hi>>');
    await daemon.project('helper.md', '---\nname: Helper\ntools: [read]\n---\nHelp.\n');
    const pages = new Pages(app);
    const { page } = app;
    await expect(app.row('worker')).toBeVisible();
    await page.keyboard.press('d');
    await pages.main
        .getByRole('combobox', { name: 'Show' })
        .selectOption({ label: `also those of work (${daemon.work})` });
    const card = pages.main.getByRole('region', { name: /^You have not trusted the definitions/ });
    await expect(card.getByRole('list', { name: 'Files' })).toHaveText('.paseo/agents/helper.md');
    await expect(card).toContainText('tools: native_read');
    await expect(card.locator('pre .added')).toHaveText([
        '+---',
        '+name: Helper',
        '+tools: [read]',
        '+---',
        '+Help.',
    ]);
    await expectAccessible(page);

    // What is written between the look and the click is not what was seen.
    const seen = await pages.trust.textContent();
    await page.route('**/api/projects/trust', async (route) => {
        await daemon.project('helper.md', '---\nname: Helper\ntools: [read, bash]\n---\nHelp.\n');
        await route.continue();
    });
    await expect(pages.trust).toBeEnabled();
    await press(pages.trust);
    await expect(pages.trust).not.toHaveText(seen ?? '');
    await expect(card.locator('pre')).toContainText('+tools: [read, bash]');
    await expect(pages.row('helper')).toContainText('not in use');
    await page.unroute('**/api/projects/trust');

    await expect(pages.trust).toBeEnabled();
    await press(pages.trust);
    await expect(card).toHaveCount(0);
    await expect(pages.row('helper')).not.toContainText('not in use');

    // A change of what is trusted shows as a difference.
    await daemon.project('helper.md', '---\nname: Helper\ntools: [read, bash, edit]\n---\nHelp.\n');
    const changed = pages.main.getByRole('region', { name: /changed since you trusted them$/ });
    await expect(changed.getByRole('list', { name: 'Files' })).toHaveText(/helper\.md\s*changed/);
    await expect(changed.locator('pre .removed')).toHaveText(['-tools: [read, bash]']);
    await expect(changed.locator('pre .added')).toHaveText(['+tools: [read, bash, edit]']);
    await expect(pages.trust).toBeEnabled();
    await press(pages.trust);
    await expect(changed).toHaveCount(0);

    await pages.main.getByRole('button', { name: 'Revoke trust' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke trust in this project?' });
    await expect(dialog.getByRole('button', { name: 'Revoke trust' })).toBeEnabled();
    await dialog.getByRole('button', { name: 'Revoke trust' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(card).toBeVisible();
    await expect(pages.row('helper')).toContainText('not in use');
});

test('a click on files of a project that have just appeared trusts nothing', async ({ app, daemon }) => {
    await daemon.project('helper.md', '---\nname: Helper\n---\nHelp.\n');
    let asked = 0;
    await app.page.route('**/api/projects/trust', (route) => {
        asked++;
        return route.continue();
    });
    await app.page.addInitScript(() => {
        new MutationObserver((_, observer) => {
            const button = [...document.querySelectorAll('main button')].find(
                (found) =>
                    found.textContent?.trim().startsWith('Trust version') &&
                    document.querySelector('main pre'),
            );
            if (!(button instanceof HTMLElement)) return;
            observer.disconnect();
            button.click();
            document.body.dataset['clicked'] = 'true';
        }).observe(document, { childList: true, subtree: true });
    });
    const query = new URLSearchParams({ project: daemon.work });
    await app.page.goto(new URL(`/app/settings/definitions?${query}`, app.page.url()).href);
    await expect(app.page.locator('body')).toHaveAttribute('data-clicked', 'true');
    const pages = new Pages(app);
    await expect(pages.trust).toBeEnabled();
    expect(asked).toBe(0);
    await press(pages.trust);
    await expect(pages.trust).toHaveCount(0);
    expect(asked).toBe(1);
});

test('definitions of a project are shown, and changed elsewhere', async ({ app, daemon }) => {
    await daemon.agent('worker', '<<say hi>>');
    await daemon.project('helper.md', '---\nname: Helper\n---\nHelp.\n');
    const pages = new Pages(app);
    await expect(app.row('worker')).toBeVisible();
    await app.page.keyboard.press('d');
    await pages.main
        .getByRole('combobox', { name: 'Show' })
        .selectOption({ label: `also those of work (${daemon.work})` });
    await expect(pages.main.getByRole('region', { name: /^You have not trusted/ })).toBeVisible();
    await pages.row('helper').click();
    await expect(pages.main.locator('pre')).toContainText('Help.');
    await expect(pages.main.getByText('Change it there')).toBeVisible();
    await expect(pages.main.getByRole('link', { name: 'definitions of the project' })).toBeVisible();
    await app.page.reload();
    await expect(pages.main.locator('pre')).toContainText('Help.');
    await app.page.goBack();
    await expect(pages.row('helper')).toContainText('not in use');
});
