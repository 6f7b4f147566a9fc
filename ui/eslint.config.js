import svelte from 'eslint-plugin-svelte';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

export default ts.config(
    { ignores: ['**/dist', 'client/src/api.ts', 'test-results'] },
    ...ts.configs.recommended,
    ...svelte.configs.recommended,
    {
        rules: {
            eqeqeq: 'error',
            'no-console': 'error',
            'no-eval': 'error',
            'max-lines': ['error', 250],
        },
    },
    {
        files: ['tests/*.spec.ts'],
        rules: {
            // A browser to which no one listens hides violations of the security policy.
            'no-restricted-syntax': [
                'error',
                {
                    selector: "MemberExpression[property.name='newContext']",
                    message: 'Open browsers with the fixtures `another` or `stranger`, which listen to them.',
                },
            ],
        },
    },
    // A word that is new in the API is missed by a switch: the compiler only says so where each case returns.
    {
        files: ['src/**/*.ts', 'client/src/**/*.ts'],
        ignores: ['**/*.svelte.ts'],
        languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
        rules: {
            '@typescript-eslint/switch-exhaustiveness-check': [
                'error',
                { considerDefaultExhaustiveForUnions: true },
            ],
        },
    },
    // What an example found out, it prints.
    { files: ['client/examples/*.ts'], rules: { 'no-console': 'off' } },
    {
        files: ['**/*.svelte', '**/*.svelte.ts'],
        languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
        rules: {
            // Text from agents reaches the page as text, never as markup.
            'svelte/no-at-html-tags': 'error',
            // Maps and sets here are replaced as a whole, or nobody watches them.
            'svelte/prefer-svelte-reactivity': 'off',
        },
    },
);
