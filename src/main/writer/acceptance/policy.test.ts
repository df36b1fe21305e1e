import { expect, it } from 'vitest';
import type { MinerPolicy } from '../../ports/merchant/merchant.ts';
import { overPolicy, refuseOverPolicy } from './policy.ts';

const rate = { satoshis: 1, bytes: 1_000 };
const refused = (bytes: number, ...policies: MinerPolicy[]): Promise<void> =>
  refuseOverPolicy(
    { terms: async () => policies.map((policy, at) => ({ name: `M${at}`, standard: rate, data: rate, policy })) },
    new Uint8Array(bytes),
  );

it('the writer takes a document that one of the miners takes, and any where one sets no limit or none tells', async () => {
  await refused(500_000, { maxScriptBytes: 500_000 }, { maxScriptBytes: 100_000 });
  await refused(499_000, { maxTxBytes: 500_000 });
  await refused(900_000, { maxTxBytes: 500_000 }, {});
  await refused(900_000);
});

it('the writer refuses a longer document, and names the miner that takes most', async () => {
  const small = { maxTxBytes: 300_000 };
  await expect(refused(499_001, small, { maxTxBytes: 500_000 })).rejects.toThrow(/M1.*499000|499000.*M1/s);
  await expect(refused(500_001, { maxScriptBytes: 500_000, maxTxBytes: 10_000_000 }, small)).rejects.toThrow(/500000/);
});

it('the writer counts scripts that share a transaction together, and each alone', () => {
  const terms = [
    { name: 'Wide', standard: rate, data: rate, policy: { maxTxBytes: 100_000, maxScriptBytes: 60_000 } },
    { name: 'Narrow', standard: rate, data: rate, policy: { maxTxBytes: 10_000 } },
  ];
  const of = (...bytes: number[]) =>
    overPolicy(
      terms,
      bytes.map((length) => new Uint8Array(length)),
    );
  expect(of(60_000, 39_000)).toBeUndefined();
  expect(of(60_000, 39_001)).toMatchObject({ id: 'write-api.document-over-policy' });
  expect(of(60_001)?.message).toContain('Wide takes the longest, 60000 bytes');
  expect(overPolicy([], [new Uint8Array(900_000)])).toBeUndefined();
});
