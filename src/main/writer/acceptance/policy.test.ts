import { expect, it } from 'vitest';
import type { MinerPolicy } from '../../ports/merchant/merchant.ts';
import { refuseOverPolicy } from './policy.ts';

const rate = { satoshis: 1, bytes: 1_000 };
const refused = (bytes: number, ...policies: MinerPolicy[]): Promise<void> =>
  refuseOverPolicy(
    { terms: async () => policies.map((policy, at) => ({ name: `M${at}`, standard: rate, data: rate, policy })) },
    new Uint8Array(bytes),
  );

it('takes a document that one of the miners takes, and any where one sets no limit or none tells', async () => {
  await refused(500_000, { maxScriptBytes: 500_000 }, { maxScriptBytes: 100_000 });
  await refused(499_000, { maxTxBytes: 500_000 });
  await refused(900_000, { maxTxBytes: 500_000 }, {});
  await refused(900_000);
});

it('refuses a longer one, and names the miner that takes most', async () => {
  const small = { maxTxBytes: 300_000 };
  await expect(refused(499_001, small, { maxTxBytes: 500_000 })).rejects.toThrow(/M1.*499000|499000.*M1/s);
  await expect(refused(500_001, { maxScriptBytes: 500_000, maxTxBytes: 10_000_000 }, small)).rejects.toThrow(/500000/);
});
