import type { Page } from '@playwright/test';
import type { SandboxFault } from '../../../src/contract/index.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import type { RunningHost } from '../../support/host.ts';
import { goTo } from '../../support/studio.ts';
import { plainViews } from '../../support/views.ts';

const none = 'ab'.repeat(32);
/** Views that cannot show anything without a reply of the node. */
const ofNode = ['/explorer/mempool', `/explorer/block/${none}`, `/tx/${none}`, `/explorer/outpoint/${none}_0`];
const views = [...plainViews.filter((view) => !ofNode.includes(view)), '/help/checks', ...ofNode];

/** The banner's text for each fault, and the value of those that have one. */
const faults: Readonly<Record<SandboxFault['name'], readonly [says: string, value?: number]>> = {
  latency: ['every service of the sandbox answers 100 ms late', 100],
  'http-error': ['every service of the sandbox answers 503', 503],
  'drop-connection': ['every service of the sandbox drops connections'],
  'html-answer': ['every service of the sandbox answers with a page'],
  'too-many-requests': ['every service of the sandbox answers 429'],
  'half-answer': ['every service of the sandbox sends half answers'],
  'slow-drip': ['every service of the sandbox sends a byte each 1 ms', 1],
  'forged-headers': ['every service of the sandbox shows forged headers'],
  'headers-fork': ['every service of the sandbox has another newest block'],
  'wrong-file-hash': ['the listing of header files has a wrong hash'],
  'endless-body': ['every service of the sandbox sends answers without an end'],
  'invented-rows': ['every service of the sandbox lists payments that there are not'],
  'wrong-amount': ['every service of the sandbox names wrong amounts'],
  'other-bytes': ['every service of the sandbox sends other transactions'],
  'other-block': ['every service of the sandbox proves by another block'],
  'inner-node': ['every service of the sandbox shows an inner node as a transaction'],
  'stale-proof': ['every service of the sandbox proves by replaced blocks'],
  'hidden-rows': ['every service of the sandbox hides payments'],
  'denied-spend': ['every service of the sandbox denies that coins are spent'],
  'echoed-broadcast': ['every service of the sandbox sends nothing that it takes'],
  'rejected-mined': ['every service of the sandbox rejects what is mined'],
  'callbacks-lost': ['miners never call back'],
  'mempool-full': ['the mempool takes no transaction'],
  'pruned-blocks': ['the node keeps 3 blocks', 3],
  'quote-expired': ['fee quotes are out of date'],
  'wrong-signature': ['answers of miners carry a wrong signature'],
  'tampered-txobj': ['the token API answers with another transaction'],
  'base64-content': ['tokens hold base64 text instead of their file'],
};
/** Faults with which the node does not reply at all. */
const silencing = ['http-error', 'drop-connection', 'html-answer', 'too-many-requests', 'half-answer'];

/** Visible placeholders that wait for a reply. A long list loads only visible rows. */
function waitingInView(app: Page): Promise<number> {
  return app.evaluate(() => {
    const waits = [...document.querySelectorAll('main .mantine-Skeleton-root')];
    return waits.filter((place) => {
      const { x, y, width, height } = place.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2) === place;
    }).length;
  });
}

const long = process.env.PLANCHET_LONG === '1';
const named = Object.entries(faults) as [SandboxFault['name'], [string, number?]][];

/** `npm test` uses one of the faults with which the node does not reply. */
const shown = long ? named : named.filter(([name]) => !silencing.includes(name) || name === 'http-error');
/** Each fault with its index. Those with which the node replies share a page, which takes as long to load as the views of one. */
const groups = long
  ? [...shown.entries()].map((one) => [one])
  : [false, true].map((silent) => [...shown.entries()].filter(([, [name]]) => silencing.includes(name) === silent));

for (const group of groups) {
  test(`views render and name the active fault: ${group.map(([, [name]]) => name).join(', ')}`, async ({
    app,
    host,
  }) => {
    for (const [at, [name, [says, value]]] of group) {
      // `npm test` opens one view with each fault, from the first to the last; the long run every view with every fault.
      const place = Math.floor((at * views.length) / shown.length);
      const opened = long ? views : views.slice(place, place + 1);
      await test.step(name, () => standWith(app, host, { name, says, value, opened }));
    }
  });
}

async function standWith(
  app: Page,
  host: RunningHost,
  fault: { name: SandboxFault['name']; says: string; value: number | undefined; opened: readonly string[] },
): Promise<void> {
  const { name, says, value, opened } = fault;
  const client = host.client();
  await client.sandbox.faults.clear({});
  await client.sandbox.faults.set({ name, ...(value !== undefined && { value }) });
  const main = app.getByRole('main');
  for (const view of opened) {
    await goTo(app, view);
    await expect(app.getByText(`1 fault is on: ${says}`), view).toBeVisible();
    await expect.poll(() => waitingInView(app), view).toBe(0);
    for (const text of await main.getByRole('alert').allInnerTexts()) {
      const code = /Code\s+([a-z-]+)/.exec(text)?.[1];
      expect(code, `${view}: ${text}`).toBeDefined();
      if (code === 'not-found') continue;
      expect(text, view).toContain('Try again');
      expect(text, view).toContain('A fault that is on may be why');
    }
  }
  if (!silencing.includes(name)) return;
  for (const view of ofNode) {
    await goTo(app, view);
    await expect(main.getByRole('alert'), view).toHaveCount(1);
  }
}
