import { afterAll, beforeAll, expect, it } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { lockingScriptOf } from '../../sandbox/node/test-support/open-node.ts';
import { output, payment } from '../../sandbox/test-support/merchant.ts';
import { addressOf, otherKey, TestSandbox } from '../../sandbox/test-support/open-sandbox.ts';
import { publicSourcesAt } from '../../test-support/public-sources-at.ts';
import { transactionSources } from '../public/transaction-sources.ts';
import { PublicSources } from './public-sources.ts';

/** One more than a page has. */
const MANY = 1_001;
/** That wait: outside the long run there is one page of them. */
const WAITING = process.env.PLANCHET_LONG ? MANY : 10;
const EACH = 1_000;

let sandbox: TestSandbox;
const address = addressOf(otherKey);
/** Ids of payments to one address. */
const [mined, waiting]: [string[], string[]] = [[], []];

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const { node } = sandbox.service;
  const coin = await sandbox.coin((MANY + WAITING) * (EACH + 500) + 500_000);
  const outputs = Array.from({ length: MANY + WAITING }, () => output(EACH + 500));
  const fan = payment([coin], outputs);
  expect(await node.submit(fan)).toMatchObject({ ok: true });
  await sandbox.service.mine({ blocks: 1 });
  for (let vout = 0; vout < MANY + WAITING; vout++) {
    const spent = { txid: txidOf(fan), vout, satoshis: EACH + 500 };
    const raw = payment([spent], [output(EACH, lockingScriptOf(otherKey))]);
    expect(await node.submit(raw)).toMatchObject({ ok: true });
    (vout < MANY ? mined : waiting).push(txidOf(raw));
    if (vout === MANY - 1) await sandbox.service.mine({ blocks: 1 });
  }
});
afterAll(() => sandbox.remove());

it.each(['whatsonchain', 'bananablocks'] as const)(
  `%s tells all of ${MANY} transactions in blocks and ${WAITING} that wait, all of one address`,
  async (name) => {
    const text = publicSourcesAt(sandbox.root, [name]);
    const sources = new PublicSources({ network: 'private', clock: systemClock, text: () => text, joinUrl: () => '' });
    const [source] = transactionSources(sources);
    const answer = await source?.history([address]);
    const rows = answer?.state === 'present' ? answer.value.flatMap((one) => one.rows) : [];
    const ids = (isMined: boolean) =>
      rows.flatMap(({ txid, height }) => ((height !== null) === isMined ? [txid] : [])).sort();
    expect([ids(true).length, ids(false).length]).toEqual([MANY, WAITING]);
    expect(ids(true)).toEqual([...mined].sort());
    expect(ids(false)).toEqual([...waiting].sort());
  },
);
