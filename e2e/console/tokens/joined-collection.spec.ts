import type { Browser, Page } from '@playwright/test';
import { checkView } from '../../support/check-view.ts';
import { expect, testWithOwnHost as test } from '../../support/fixtures.ts';
import { type RunningHost, startHost } from '../../support/host.ts';
import { openHost } from '../../support/open.ts';
import { createCollection } from '../../support/scenes/content.ts';
import { goTo } from '../../support/studio.ts';

const ITEMS = Number(process.env.PLANCHET_ITEMS ?? 300);
const NAME = 'Three hundred moons';
const PASSPHRASE = 'correct horse battery staple';
const WAIT_MS = 600_000;
const LOOK_MS = 100;

/** An installation without a node and without a token service, which uses the services of the other's sandbox. */
const startJoined = (host: RunningHost): Promise<RunningHost> =>
  startHost({
    set: { network: 'private', chainData: 'auto', joinUrl: host.ready.sandbox as string },
    env: { PLANCHET_PASSPHRASE: PASSPHRASE },
  });

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error('waited too long');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function pageOf(browser: Browser, host: RunningHost): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await openHost(page, host);
  return page;
}

/** Sends all tokens of the collection to an address, as from the page of one token. */
async function sendAll(maker: RunningHost, address: string): Promise<void> {
  const { tokens: list } = maker.client();
  const { tokens } = await list.list({ source: 'minted', limit: 500 });
  for (const { outpoint } of tokens) {
    const ask = () =>
      list.send
        .prepare({ outpoint, address, idempotencyKey: `send ${outpoint}` })
        .catch((error: { data?: { code?: string } }) => {
          // The coin that pays for it has to be mined first.
          if (error.data?.code !== 'funds-insufficient' && error.data?.code !== 'conflict') throw error;
          return undefined;
        });
    let job = await ask();
    for (; job === undefined; job = await ask()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    await list.send.approve({ id: job.id, digest: job.review.digest });
  }
}

test('a collection is minted, sent to a second installation and restored from words, without a node', {
  tag: '@long',
}, async ({ host, browser }) => {
  test.setTimeout(3 * WAIT_MS);
  const installations: RunningHost[] = [];
  try {
    const joined = async (): Promise<RunningHost> => {
      const one = await startJoined(host);
      installations.push(one);
      return one;
    };
    const maker = await joined();
    const { address: own } = await maker.client().wallet.create({ words: 12 });
    await host.client().sandbox.fund({ address: own as string, satoshis: 20_000_000 });
    await until(async () => (await maker.client().wallet.balance()).confirmed === 20_000_000);
    const uid = await createCollection(maker.client(), NAME, ITEMS, 1);
    const making = await pageOf(browser, maker);
    await goTo(making, `/projects/${uid}/mint`);
    const approve = making.getByRole('button', { name: /^Approve and mint for/ });
    await expect(approve).toBeEnabled({ timeout: WAIT_MS });
    await checkView(making, 'joined-plan');
    await approve.click();
    await expect(making.getByRole('heading', { name: `Mint of ${NAME}`, level: 1 })).toBeVisible();
    await until(async () => {
      const { tokens } = await maker.client().tokens.list({ source: 'minted', limit: 500 });
      return tokens.length === ITEMS + 1 && tokens.every(({ state }) => state === 'proven');
    });
    await checkView(making, 'joined-minted');

    const receiver = await joined();
    const { address } = await receiver.client().wallet.create({ words: 12 });
    await sendAll(maker, address as string);
    const tokensOf = async (one: RunningHost) =>
      (await one.client().tokens.list({ source: 'received', limit: 500 })).tokens;
    const hasAll = async (one: RunningHost): Promise<boolean> => {
      const tokens = await tokensOf(one);
      return tokens.length === ITEMS + 1 && tokens.every(({ name, read }) => read && name !== '');
    };
    await until(() => hasAll(receiver));
    const traits = (await tokensOf(receiver)).filter((token) => token.traits.length > 0).length;
    expect(traits).toBe(ITEMS);
    const receiving = await pageOf(browser, receiver);
    await receiving.getByRole('link', { name: 'Tokens', exact: true }).click();
    await expect(receiving.getByRole('option').first()).toBeVisible();
    await checkView(receiving, 'joined-received');
    await receiving.getByRole('option').nth(1).click();
    const sheet = receiving.getByRole('dialog');
    await expect(sheet.getByText('Somebody else made this token')).toBeVisible();
    await checkView(receiving, 'joined-received-token');
    await sheet.getByRole('heading', { name: 'About' }).scrollIntoViewIfNeeded();
    await sheet.getByText('What it says of itself', { exact: true }).click();
    await checkView(receiving, 'joined-received-token-facts');

    const { words } = await receiver.client().wallet.seed.reveal({ passphrase: PASSPHRASE });
    const elsewhere = await joined();
    await elsewhere.client().wallet.restore({ words });
    const restoring = await pageOf(browser, elsewhere);
    await restoring.getByRole('link', { name: 'Wallet', exact: true }).click();
    await checkView(restoring, 'joined-restoring');
    await until(() => hasAll(elsewhere));
    const names = (tokens: Awaited<ReturnType<typeof tokensOf>>) => tokens.map(({ name }) => name).sort();
    expect(names(await tokensOf(elsewhere))).toEqual(names(await tokensOf(receiver)));
    await restoring.getByRole('link', { name: 'Tokens', exact: true }).click();
    await expect(restoring.getByRole('option').first()).toBeVisible();
    await checkView(restoring, 'joined-restored');
  } finally {
    for (const one of installations) await one.stop();
  }
});
