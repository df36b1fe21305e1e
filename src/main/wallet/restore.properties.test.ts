import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { type Harness, makeHarness } from './test-support/test-wallet.ts';
import { LifeRun, lives, OpenWallet } from './test-support/wallet-life.ts';

/** A thousand on demand: `PLANCHET_LIVES=1000`. */
const LIVES = process.env.PLANCHET_LONG ? 10_000 : Number(process.env.PLANCHET_LIVES ?? 1);

let harnesses: [Harness, Harness, Harness];
beforeAll(async () => {
  harnesses = [await makeHarness(), await makeHarness(), await makeHarness()];
});
afterAll(async () => {
  for (const harness of harnesses) await harness.remove();
});

/** The index of the address that the main account gives out next; undefined where it gives out none. */
const nextIndex = ({ accounts, view }: OpenWallet): Promise<number | undefined> =>
  accounts
    .switch({ id: 'main' })
    .then(() => view.addresses.next({ label: '' }))
    .then(
      ({ index }) => index,
      (error: unknown) => {
        if (error instanceof PlanchetError && error.code === 'conflict') return undefined;
        throw error;
      },
    );

it(
  `a restore finds every satoshi and token of ${LIVES} wallet lives, from words and from backups, and gives out no address twice`,
  async () => {
    const [own, other, third] = harnesses;
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const run = await LifeRun.live(own, life);
        const opened = [run.wallet];
        try {
          const { text } = await run.wallet.view.backup.create({ passphrase: '' });
          const fromWords = await OpenWallet.restore(other, run.node);
          opened.push(fromWords);
          await fromWords.addAccounts(life);
          const fromBackup = await OpenWallet.restore(third, run.node, text);
          opened.push(fromBackup);
          for (const one of opened) expect(one.unspent()).toEqual(run.expected());
          for (const one of opened) if (life.old || life.hasty) await one.restart();
          run.payAllAgain();
          for (const one of opened) {
            await one.follow();
            expect(one.unspent()).toEqual(run.expected());
          }
          expect((await nextIndex(fromWords)) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(run.highestPaid('main'));
          const given = run.given.get('main') ?? 0;
          expect((await nextIndex(fromBackup)) ?? Number.POSITIVE_INFINITY).toBeGreaterThan(given);
        } finally {
          for (const one of opened) await one.close();
        }
      }),
      { numRuns: LIVES, endOnFailure: LIVES > 100 },
    );
  },
  180_000 + LIVES * 30_000,
);
