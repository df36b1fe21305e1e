import { afterEach, describe, expect, it } from 'vitest';
import { isValidSignature, toHex, txidOf, verifyEnvelope } from '../../../chain/index.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { UnreadableCallback } from '../protocols/protocol.ts';
import { protocols } from '../protocols/protocols.ts';
import {
  anyTx,
  enveloped,
  message,
  post,
  proofMessage,
  ReceiverHarness,
  status,
} from './test-support/receiver-harness.ts';

const RUNS = process.env.PLANCHET_LONG ? 300_000 : 1_500;
/** Bodies of them that go over HTTP. */
const SENT = Math.min(RUNS, 20_000) / 10;
const random = seededRandom(15);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const TXID = txidOf(anyTx(1));
const rival = anyTx(2);

const seeds: readonly (() => string)[] = [
  () => enveloped(proofMessage(TXID)),
  () => enveloped(proofMessage(TXID), null),
  () => JSON.stringify(proofMessage(TXID)),
  () => enveloped(message(TXID, 'doubleSpend', { doubleSpendTxId: txidOf(rival), payload: toHex(rival) })),
  () =>
    enveloped(
      message(TXID, 'doubleSpendAttempt', JSON.stringify({ doubleSpendTxId: txidOf(rival), payload: toHex(rival) })),
    ),
  () => JSON.stringify(status(TXID, 'MINED', { merklePath: 'fe01', competingTxs: [txidOf(rival)] })),
  () => JSON.stringify({ count: 2, callbacks: [status(TXID, 'SEEN_ON_NETWORK'), status(TXID, 'REJECTED')] }),
];
const made = seeds.map((make) => make());
const values = ['null', '0', '-1', '1e400', '""', '[]', '{}', 'true', '"\\u0000"', '"__proto__"', '9007199254740993'];

function altered(text: string): string {
  const at = Math.floor(random() * text.length);
  switch (Math.floor(random() * 7)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x180)) + text.slice(at + 1);
    case 2:
      return text.slice(0, at) + pick(made).slice(Math.floor(random() * 200)) + text.slice(at);
    case 3:
      return text.replace(/"[a-zA-Z]+":\s*("[^"]*"|[0-9]+|null)/g, (member) =>
        random() < 0.2 ? `${member.slice(0, member.indexOf(':') + 1)}${pick(values)}` : member,
      );
    case 4:
      return text.replace(/[0-9a-f]{64}/g, (hash) => (random() < 0.5 ? hash.slice(1) : hash.toUpperCase()));
    case 5:
      return `[${text}]`;
    default:
      return `{"callbackPayload":${text},"payload":${JSON.stringify(text)}}`;
  }
}

/** @returns the verdicts of a body that was accepted; undefined for a refused one */
async function read(kind: 'mapi' | 'arc', text: string) {
  try {
    return await protocols[kind].callbacks.read(text, {
      isValid: async (signature) => isValidSignature(signature),
      trusts: () => true,
    });
  } catch (error) {
    if (error instanceof UnreadableCallback) return undefined;
    throw error;
  }
}

let harness: ReceiverHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

describe('bodies of callbacks', () => {
  it(`are read or refused after ${RUNS.toLocaleString('en')} alterations, and none counts as signed that is not`, async () => {
    let accepted = 0;
    for (let run = 0; run < RUNS; run++) {
      let text = pick(made);
      for (let times = 1 + Math.floor(random() * 3); times > 0; times--) text = altered(text);
      for (const kind of ['mapi', 'arc'] as const) {
        for (const { verdict } of (await read(kind, text)) ?? []) {
          accepted += 1;
          expect(verdict.txid).toMatch(/^[0-9a-f]{64}$/);
          for (const conflict of verdict.conflicts) {
            expect(conflict.txid).toMatch(/^[0-9a-f]{64}$/);
            if (conflict.rawTx !== null) expect(txidOf(conflict.rawTx)).toBe(conflict.txid);
          }
          if (verdict.signature === 'valid') expect(verifyEnvelope(JSON.parse(text))).toBe('valid');
          if (kind === 'arc') expect(verdict.signature).toBe('none');
        }
      }
    }
    // an alteration that changes nothing of weight is no reason to refuse
    expect(accepted).toBeGreaterThan(0);
  });

  it('are answered with 200 or 400, and the receiver goes on', async () => {
    harness = await ReceiverHarness.open();
    const txid = await harness.track(anyTx(1));
    const expected = { mapi: harness.expected('mapi'), arc: harness.expected('arc') };
    for (let run = 0; run < SENT; run++) {
      const body = altered(pick(made));
      const type = random() < 0.1 ? 'application/octet-stream' : 'application/json';
      const code = await post(expected[pick(['mapi', 'arc'] as const)], body, { 'content-type': type });
      expect([200, 400], body).toContain(code);
    }
    expect(
      await post(expected.arc, JSON.stringify(status(txid, 'SEEN_ON_NETWORK', { timestamp: '2027-01-01T00:00:00Z' }))),
    ).toBe(200);
    await expect.poll(async () => (await harness?.told(txid))?.at(-1)?.answer?.status).toBe('SEEN_ON_NETWORK');
    expect(await harness.transactions.find(txid)).toMatchObject({ block: null });
  });
});
