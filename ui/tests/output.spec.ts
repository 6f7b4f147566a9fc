import { expect, test } from './app';

test('what a running command has printed is there after a reload, from its beginning', async ({
    app,
    daemon,
}) => {
    const script =
        '<<sh echo first; echo second; until [ -e go ]; do sleep 0.02; done; echo third; until [ -e end ]; do sleep 0.02; done>><<say done>>';
    await daemon.agent('builder', script);
    await app.open('builder');
    const output = app.items('tool').locator('.growing');
    await expect(output).toContainText('second');
    await app.page.reload();
    await expect(output.locator('pre')).toHaveText('first\nsecond');
    await daemon.touch('go');
    await expect(output.locator('pre')).toHaveText('first\nsecond\nthird');
    await daemon.touch('end');
    await expect(app.items('answer').last()).toHaveText('done');
    await expect(output).toHaveCount(0);
    await expect(app.page.getByText('No output.')).toHaveCount(0);
});

test('a running command shows all that it printed, also after a reload', async ({ app, daemon }) => {
    const script = '<<sh seq -f "out %g" 60; until [ -e end ]; do sleep 0.02; done>><<say done>>';
    await daemon.agent('builder', script);
    await app.open('builder');
    const output = app.items('tool').locator('.growing');
    for (const again of [false, true]) {
        if (again) await app.page.reload();
        await expect(output.locator('pre')).toHaveText(/^out 53\n(out \d+\n){6}out 60$/);
        await output.getByRole('button', { name: '52 earlier lines' }).click();
        await expect(output.locator('pre')).toHaveText(/^out 1\nout 2\n(out \d+\n){57}out 60$/);
        await output.getByRole('button', { name: 'Only the newest lines' }).click();
        await expect(output.locator('pre')).toHaveText(/^out 53\n/);
    }
    await daemon.touch('end');
    await expect(app.items('answer').last()).toHaveText('done');
});

test('of long output the beginning stays, and what is left out can be read later', async ({
    app,
    daemon,
}) => {
    const script =
        '<<sh echo begin; seq -f "line %06g" 20000; echo last; until [ -e end ]; do sleep 0.02; done>><<say done>>';
    await daemon.agent('builder', script);
    await app.open('builder');
    const output = app.items('tool').locator('.growing');
    for (const again of [false, true]) {
        if (again) await app.page.reload();
        await expect(output.locator('pre')).toHaveText(/last$/);
        await output.getByRole('button', { name: /^\d+ earlier lines$/ }).click();
        await expect(output.locator('pre')).toHaveText(/^begin\nline 000001\n/);
        await expect(output.locator('.missing')).toHaveText(/\d+ KB left out until the command ends/);
    }
    await daemon.touch('end');
    await expect(app.items('answer').last()).toHaveText('done');
    const call = app.items('tool');
    await call.getByRole('button').first().click();
    await call.getByRole('button', { name: /^\d+ more lines$/ }).click();
    await call.getByRole('button', { name: /^Show all \d+ KB$/ }).click();
    await expect(call.locator('pre').last()).toContainText('line 010000');
});

test('a command that a restart interrupted shows what it had printed', async ({
    app,
    daemon,
    complaints,
}) => {
    complaints.allow(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|503/);
    await daemon.agent('builder', '<<sh echo half; sleep 1000>>');
    await app.open('builder');
    await expect(app.items('tool').locator('.growing')).toContainText('half');
    await daemon.paseo('restart');
    const call = app.items('tool');
    await expect(call).toContainText('interrupted');
    await expect(call.locator('pre').last()).toHaveText('half');
    await app.page.reload();
    await expect(call.locator('pre').last()).toHaveText('half');
    await expect(app.page.getByText('No output.')).toHaveCount(0);
});
