import { defineConfig } from '@playwright/test';
import base from '../playwright.config';

/** Makes the pictures of the documentation: `make pictures`. */
export default defineConfig({ ...base, testDir: '.', testMatch: '*.picture.ts', workers: 1 });
