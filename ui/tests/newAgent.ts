import type { Locator } from '@playwright/test';
import { expect, type App } from './app';

/** The form that starts an agent. */
export function form(app: App): Locator {
    return app.page.getByRole('form', { name: 'New agent' });
}

export function prompt(app: App): Locator {
    return form(app).getByRole('textbox', { name: 'What should it do?' });
}

/** Opens a chip. Returns its button and its fields. */
export async function chip(app: App, label: string): Promise<{ button: Locator; fields: Locator }> {
    const button = form(app).getByRole('button', { name: new RegExp(`^${label}: `) });
    await button.click();
    const fields = app.page.getByRole('dialog', { name: label, exact: true });
    await expect(fields).toBeVisible();
    return { button, fields };
}

/** Closes the chip that is open. */
export async function close(app: App): Promise<void> {
    await app.page.keyboard.press('Escape');
    await expect(app.page.locator('[popover]:popover-open')).toHaveCount(0);
}
