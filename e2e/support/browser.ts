import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type LaunchOptions } from '@playwright/test';
import { unpackBrowser } from './packaged-browser.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The browser the tests run in: one that is installed (Playwright's own, Chromium or Chrome), else the one inside the npm package
 * @sparticuz/chromium, which runs on a bare Linux machine because it brings the libraries it needs.
 */
export function launchOptions(): LaunchOptions {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--font-render-hinting=none',
  ];
  const own = chromium.executablePath();
  if (existsSync(own)) return { args };
  const installed = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  if (installed) return { args, executablePath: installed };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No browser found. Install Chromium or Chrome, or run: npx playwright install chromium');
  }
  return { args: [...args, '--no-zygote', '--headless=shell'], ...unpackBrowser() };
}
