import { fitting, readWidth } from './listWidth';

const KEY = 'paseo.list';

/** How wide the list beside a page is: kept in the browser, because it is about its screen. */
class ListColumn {
    /** What a person chose; without that, the page decides. */
    width = $state(stored());

    choose(width: number): void {
        this.width = fitting(width, innerWidth);
        this.keep();
    }

    reset(): void {
        this.width = undefined;
        this.keep();
    }

    private keep(): void {
        try {
            if (this.width === undefined) localStorage.removeItem(KEY);
            else localStorage.setItem(KEY, String(this.width));
        } catch {
            // Storage may be off; the width then lasts as long as the page.
        }
    }
}

function stored(): number | undefined {
    try {
        return readWidth(localStorage.getItem(KEY));
    } catch {
        return undefined;
    }
}

export const listColumn = new ListColumn();
