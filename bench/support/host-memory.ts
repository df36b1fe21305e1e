import { PrivateKey } from '@bsv/sdk';
import { startHost } from '../../e2e/support/host.ts';
import { launch } from '../../scripts/launch.ts';
import { encodeAddress, fromHex, hash160, parseTx, satoshis, type Utxo } from '../../src/chain/index.ts';
import { submitInParts } from '../../src/main/commands/transactions.ts';
import { keyScript, payment, split } from './payments.ts';
import { kilobytesOf } from './process-memory.ts';

const EACH = 400_000;
const OUTPUTS = 10_000;
/** For the fee of the transaction that divides the money. */
const ROOM = 2_000_000;
/** Bytes of a file that are sent at once. */
const PIECE = 500_000;
const LOOK_MS = 100;

export interface HostMemory {
  /** Megabytes once everything listens. */
  readonly idle: number;
  /** The most until the proofs of all payments were there. */
  readonly highest: number;
}

/**
 * Hands payments to a whole application as the command line and the page do, part after part, and waits for their proofs. Its sandbox, in
 * the same process, is the miner and the node.
 */
export async function hostMemory(payments: number): Promise<HostMemory> {
  // the first start of changed sources compiles them, which takes memory that no later start needs
  await (await startHost(launch)).stop();
  const host = await startHost(launch);
  const { pid } = host.process;
  try {
    const idle = kilobytesOf(pid, 'VmRSS') / 1_000;
    const client = host.client();
    const key = PrivateKey.fromHex('66'.repeat(32));
    const address = encodeAddress(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])), 'test');
    const coins: Utxo[] = [];
    const submit = async (raws: readonly Uint8Array[]): Promise<void> => {
      const bytes = Buffer.concat(raws);
      let { uploadId } = await client.tx.upload({ piece: new Blob([]) });
      for (let at = 0; at < bytes.length; at += PIECE)
        ({ uploadId } = await client.tx.upload({ uploadId, piece: new Blob([bytes.subarray(at, at + PIECE)]) }));
      const results = await submitInParts(client, { source: { uploadId } }, () => undefined);
      const refused = results.find(({ sent, reason }) => !sent || reason !== null);
      if (refused !== undefined) throw new Error(JSON.stringify(refused));
    };
    while (coins.length < payments) {
      const amount = OUTPUTS * EACH + ROOM;
      const { txid } = await client.sandbox.fund({ address, satoshis: amount });
      const { result } = await client.node.call({ method: 'getrawtransaction', params: [txid, false] });
      const vout = parseTx(fromHex(String(result))).outputs.findIndex((output) => output.satoshis === amount);
      const parts = split(
        { txid, vout, satoshis: satoshis(amount), lockingScript: keyScript(key) },
        OUTPUTS,
        EACH,
        key,
      );
      await submit([parts.raw]);
      await client.sandbox.mine({ blocks: 1 });
      coins.push(...parts.coins);
    }
    const before = (await client.tx.counts()).proven ?? 0;
    await submit(coins.slice(0, payments).map((coin) => payment(coin, key)));
    await client.sandbox.mine({ blocks: 1 });
    while (((await client.tx.counts()).proven ?? 0) < before + payments)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return { idle, highest: kilobytesOf(pid, 'VmHWM') / 1_000 };
  } finally {
    await host.stop();
  }
}
