import { PrivateKey } from '@bsv/sdk';
import { createOrdinals } from 'js-1sat-ord';
import {
  asFundingUtxo,
  type FundingUtxo,
  hash160,
  inscriptionScript,
  ONE_SATOSHI,
  p2pkhScript,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
} from '../../src/chain/index.ts';
import { mintOf } from '../../src/main/studio/minting/steps/building/direct-transaction.ts';
import type { Report } from '../report.ts';

/** Both are measured in turn, so that what else the machine does meets them alike; the medians count. */
const ROUNDS = 7;
const SECONDS = 0.4;
const rate = { satoshis: 500, bytes: 1_000 };
const MONEY = 100_000_000;

/**
 * Inscriptions built and signed a second on one thread, by Planchet and by js-1sat-ord: each the same file and metadata in a transaction of its
 * own with one input and change, from the file to the serialised bytes and their id.
 */
export async function compareInscriptions(report: Report): Promise<void> {
  await compare(report, '1 KB', 1_000, 'at least 30');
  await compare(report, '100 KB', 100_000, 'at least 15');
}

async function compare(report: Report, name: string, bytes: number, target: string): Promise<void> {
  const key = PrivateKey.fromHex('11'.repeat(32));
  const pubKeyHash = hash160(Uint8Array.from(key.toPublicKey().toDER() as number[]));
  const lockingScript = p2pkhScript(pubKeyHash);
  const content = Buffer.alloc(bytes, 'picture');
  const contentType = 'image/png';
  const map = { app: 'Planchet', type: 'ord', name: 'Moon 1' };
  const txid = 'ab'.repeat(32);
  const address = key.toAddress();
  const script = Buffer.from(lockingScript).toString('base64');

  const own = (): { hex: string; txid: string } => {
    const token = { satoshis: ONE_SATOSHI, script: inscriptionScript({ pubKeyHash, contentType, content, map }) };
    const coin = asFundingUtxo({ txid, vout: 0, satoshis: satoshis(MONEY), lockingScript }) as FundingUtxo;
    const { tx } = mintOf([token], [coin], lockingScript, { standard: rate, data: rate });
    const signed = signP2pkhInputs(tx, [coin], key);
    const raw = serializeTx(signed);
    return { hex: toHex(raw), txid: txidOf(raw) };
  };
  const theirs = async (): Promise<{ hex: string; txid: string }> => {
    const { tx } = await createOrdinals({
      utxos: [{ txid, vout: 0, satoshis: MONEY, script }],
      destinations: [{ address, inscription: { dataB64: content.toString('base64'), contentType } }],
      paymentPk: key,
      changeAddress: address,
      satsPerKb: 500,
      metaData: { ...map, type: 'ord' },
    });
    return { hex: tx.toHex(), txid: tx.id('hex') };
  };
  // Both make a transaction of the same size but for the length of a signature.
  if (Math.abs(own().hex.length - (await theirs()).hex.length) > 8) throw new Error('the two do not build the same');

  const [ownRates, theirRates]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    theirRates.push(await perSecond(theirs));
    ownRates.push(await perSecond(async () => own()));
  }
  report(`${name} inscriptions built and signed by js-1sat-ord`, median(theirRates), 'a second');
  report(`${name} inscriptions built and signed by Planchet`, median(ownRates), 'a second');
  report(`${name}: Planchet beside js-1sat-ord, one thread`, median(ownRates) / median(theirRates), 'times', target);
}

async function perSecond(build: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 3; n++) await build();
  const started = performance.now();
  let built = 0;
  while (performance.now() - started < SECONDS * 1_000) {
    await build();
    built += 1;
  }
  return (built * 1_000) / (performance.now() - started);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
