import type { Page } from '@playwright/test';
import type { RunningHost } from './host.ts';

const STANDS_MS = 20_000;

/**
 * Waits until the page shows a view. Its frame is rendered earlier, while the token of a link is still being exchanged for a session. A page that
 * navigates during that has no session, and says so under a heading of its own.
 */
export async function viewStands(page: Page): Promise<void> {
  // Checked in every frame, since a waiting locator checks twice a second.
  await page.waitForFunction(() => document.querySelector('main h1[tabindex]')?.checkVisibility(), undefined, {
    timeout: STANDS_MS,
  });
}

/** Opens a host by a new link, as a person does, and waits for its first view. */
export async function openHost(page: Page, host: Pick<RunningHost, 'login'>): Promise<void> {
  // A page that shows the host already would not be reloaded.
  await page.goto('about:blank');
  await page.goto(await host.login());
  await viewStands(page);
}

/** Reloads a view, as if its address was typed, and waits for it. @param origin of the console */
export async function loadView(page: Page, origin: string, path: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${new URL(origin).origin}/#${path}`);
  await viewStands(page);
}
