export type Choice = 'system' | 'light' | 'dark';

const KEY = 'paseo.theme';
export const CHOICES: readonly Choice[] = ['system', 'light', 'dark'];

/** How the page looks: as the system says, or as was chosen. The only thing that is kept in this browser. */
class Theme {
    choice = $state<Choice>(stored());

    apply(): void {
        const root = document.documentElement;
        if (this.choice === 'system') root.removeAttribute('data-theme');
        else root.setAttribute('data-theme', this.choice);
    }

    next(): void {
        this.choose(CHOICES[(CHOICES.indexOf(this.choice) + 1) % CHOICES.length] ?? 'system');
    }

    choose(choice: Choice): void {
        this.choice = choice;
        try {
            localStorage.setItem(KEY, this.choice);
        } catch {
            // Storage may be off; the choice then lasts as long as the page.
        }
        this.apply();
    }
}

function stored(): Choice {
    try {
        const value = localStorage.getItem(KEY);
        return CHOICES.find((choice) => choice === value) ?? 'system';
    } catch {
        return 'system';
    }
}

export const theme = new Theme();
