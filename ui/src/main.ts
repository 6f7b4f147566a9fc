import { mount } from 'svelte';
import App from './App.svelte';
import './styles/tokens.css';
import './styles/base.css';
import { makeInstallable } from './shell/install';
import { theme } from './shell/theme.svelte';

theme.apply();
// The code has just been read, which takes long on a phone: the page is a task of its own.
setTimeout(() => {
    const target = document.getElementById('app');
    if (target) mount(App, { target });
    if (import.meta.env.PROD) void makeInstallable();
});
