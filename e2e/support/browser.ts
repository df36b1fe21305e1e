import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type LaunchOptions } from '@playwright/test';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The browser the tests run in: one that is installed (Playwright's own, Chromium or Chrome), else the one inside the npm package
 * @sparticuz/chromium, which runs on a bare Linux machine because it brings the libraries it needs.
 */
export async function launchOptions(): Promise<LaunchOptions> {
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
  // The package unpacks its shared libraries only where it believes to run on AWS; a bare machine lacks them as well.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  const { default: packaged } = await import('@sparticuz/chromium');
  const executablePath = await packaged.executablePath();
  return { args: [...args, '--no-zygote', '--headless=shell'], executablePath };
}
