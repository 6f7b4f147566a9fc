import { expect, test } from './app';

test('a handle grows and shrinks with those that are like it', async ({ app, daemon }) => {
    test.slow();
    // Ids are random: among a few hundred agents, two begin with the same four characters.
    const seen = new Map<string, string>();
    let twins: [string, string] | undefined;
    while (!twins && seen.size < 2000) {
        const id = await daemon.create();
        const twin = seen.get(id.slice(0, 4));
        if (twin) twins = [twin, id];
        seen.set(id.slice(0, 4), id);
    }
    const [one, other] = twins ?? ['', ''];
    const long = (await daemon.inspect(one)).handle;
    const short = one.slice(0, 4);
    expect(long.length).toBeGreaterThan(4);

    await daemon.paseo('rename', one, 'twin');
    await app.page.goto(new URL(`/app/agents/${one}`, app.page.url()).href);
    const handle = app.page.getByRole('main').locator('header').getByText(short);
    await expect(handle).toHaveText(long);
    await daemon.paseo('close', other);
    await expect(handle).toHaveText(short);
    // A person's message opens it again.
    await daemon.paseo('send', other, '<<say hi>>');
    await expect(handle).toHaveText(long);
    await daemon.paseo('wait', other);
    await daemon.paseo('close', other);
    await expect(handle).toHaveText(short);
    await daemon.paseo('send', other, '<<say hi>>');
    await expect(handle).toHaveText(long);
    await daemon.paseo('wait', other);
    await daemon.paseo('rm', other);
    await expect(handle).toHaveText(short);
});
