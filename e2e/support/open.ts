import type { Page } from '@playwright/test';
import type { RunningHost } from './host.ts';

const STANDS_MS = 20_000;

/**
 * Waits until the page shows a view. Its frame stands earlier, while the token of a link is still traded for a session: a page that goes
 * elsewhere then is left without one, and says so under a heading of its own.
 */
export async function viewStands(page: Page): Promise<void> {
  // Looked at in every frame: a locator that waits looks twice a second.
  await page.waitForFunction(() => document.querySelector('main h1[tabindex]')?.checkVisibility(), undefined, {
    timeout: STANDS_MS,
  });
}

/** Opens a host by a fresh link, as a person does, and waits until its first view stands. */
export async function openHost(page: Page, host: Pick<RunningHost, 'login'>): Promise<void> {
  // A page that shows the host already would not be loaded anew.
  await page.goto('about:blank');
  await page.goto(await host.login());
  await viewStands(page);
}

/** Loads a view anew, as if its address was typed, and waits until it stands. @param origin of the console */
export async function loadView(page: Page, origin: string, path: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${new URL(origin).origin}/#${path}`);
  await viewStands(page);
}
