import type { Terminal } from '@xterm/xterm';
import { rowFactoryOf } from './rowFactory';

/**
 * Opens an emulator without inline styles, which the content security policy refuses.
 *
 * xterm writes rules into `<style>` elements that it creates while it opens, and colours of single cells into `style`
 * attributes. Both are turned into what a script may do under any policy: a constructed style sheet, and the properties
 * of an element's style. A test in a real browser shows true colours and fails on any violation.
 */
export function openUnderPolicy(terminal: Terminal, parent: HTMLElement): void {
    const create = document.createElement.bind(document);
    const shadowed = (name: string, options?: ElementCreationOptions): HTMLElement =>
        name === 'style' ? adoptedStyle(create) : create(name, options);
    Object.defineProperty(document, 'createElement', { value: shadowed, configurable: true });
    try {
        terminal.open(parent);
    } finally {
        Reflect.deleteProperty(document, 'createElement');
    }
    styleByProperties(terminal);
}

/** Returns an element that behaves like a `<style>`, as far as xterm uses one. */
function adoptedStyle(create: typeof document.createElement): HTMLElement {
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(sheet);
    const element = create('template');
    Object.defineProperty(element, 'textContent', { set: (css: string) => sheet.replaceSync(css) });
    element.remove = () => {
        const at = document.adoptedStyleSheets.indexOf(sheet);
        if (at >= 0) document.adoptedStyleSheets.splice(at, 1);
        element.parentNode?.removeChild(element);
    };
    return element;
}

/** Has the cells of an emulator styled by properties instead of by an attribute. */
function styleByProperties(terminal: Terminal): void {
    rowFactoryOf(terminal)._addStyle = (element, style) => {
        element.style.cssText += `${style};`;
    };
}
