import { P2PKH, PrivateKey, Transaction } from '@bsv/sdk';
import {
  contract,
  encodeAddress,
  hash160,
  issue,
  merge,
  mergeSplit,
  p2pkhScript,
  publicKeyOf,
  redeem,
  redeemSplit,
  satoshis,
  split,
  toHex,
  transfer,
  type Utxo,
} from '../src/token/index.ts';
import type { Report } from './report.ts';

/** Everything is measured in turn this many times, so that what else the machine does meets all alike; the medians count. */
const ROUNDS = 7;
const SECONDS = 0.15;
const key = (n: number): PrivateKey => PrivateKey.fromHex(n.toString(16).padStart(64, '0'));
const [issuer, alice, bob, payer] = [key(1), key(2), key(3), key(4)];
const hashOf = (owner: PrivateKey): Uint8Array => hash160(publicKeyOf(owner));
const addressOf = (owner: PrivateKey): string => encodeAddress(hashOf(owner), 'test');
const coin = (owner: PrivateKey, amount: number, vout: number): Utxo => ({
  txid: 'ab'.repeat(32),
  vout,
  satoshis: satoshis(amount),
  lockingScript: p2pkhScript(hashOf(owner)),
});

/** Builds a second, signed and with a payment input, of each token function and of the SDK's plain P2PKH transaction. */
export async function run(report: Report): Promise<void> {
  const plain = plainBuild();
  const functions = Object.entries(builds()).map(([name, build]) => {
    return { name, build: async () => void build(), rates: [] as number[], ratios: [] as number[] };
  });
  const plainRates: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { build, rates, ratios } of functions) {
      const beside = await rate(plain);
      const own = await rate(build);
      plainRates.push(beside);
      rates.push(own);
      ratios.push(own / beside);
    }
  }
  report('SDK: P2PKH, 1 input, 2 outputs', median(plainRates), 'builds/s');
  for (const { name, rates, ratios } of functions) {
    report(name, median(rates), 'builds/s');
    report(`${name}, beside the SDK's P2PKH`, median(ratios), 'times');
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

async function rate(build: () => Promise<void>): Promise<number> {
  for (let n = 0; n < 5; n += 1) await build();
  const started = performance.now();
  let built = 0;
  while (performance.now() - started < SECONDS * 1_000) {
    await build();
    built += 1;
  }
  return (built * 1_000) / (performance.now() - started);
}

function plainBuild(): () => Promise<void> {
  const template = new P2PKH();
  const source = new Transaction();
  source.addOutput({ lockingScript: template.lock(Array.from(hashOf(alice))), satoshis: 20_000 });
  return async () => {
    const tx = new Transaction();
    tx.addInput({ sourceTransaction: source, sourceOutputIndex: 0, unlockingScriptTemplate: template.unlock(alice) });
    tx.addOutput({ lockingScript: template.lock(Array.from(hashOf(bob))), satoshis: 10_000 });
    tx.addOutput({ lockingScript: template.lock(Array.from(hashOf(alice))), satoshis: 9_800 });
    await tx.sign();
    tx.toHex();
  };
}

function builds(): Record<string, () => { readonly outputs: readonly Utxo[] }> {
  const payment = { paymentUtxo: coin(payer, 20_000, 1), paymentKey: payer };
  const contractPublicKey = publicKeyOf(issuer);
  const destination = addressOf(bob);
  const parts = [4_000, 6_000].map((amount) => ({ address: addressOf(alice), satoshis: amount }));
  const contracted = () =>
    contract({
      issuerKey: issuer,
      inputUtxos: [coin(issuer, 10_000, 0)],
      paymentUtxos: [payment.paymentUtxo],
      paymentKey: payer,
      schema: { symbol: 'CAFE', satsPerToken: 10, tokenId: toHex(hashOf(issuer)), totalSupply: 1_000, name: 'Coffee' },
      tokenSatoshis: 10_000,
    });
  const contractUtxo = contracted().outputs[0] as Utxo;
  const issueInfo = [{ address: addressOf(alice), satoshis: 10_000 }];
  const issued = () =>
    issue({ issuerKey: issuer, issueInfo, contractUtxo, isSplittable: true, symbol: 'CAFE', ...payment });
  const tokenUtxo = issued().outputs[0] as Utxo;
  const owned = { ownerKey: alice, tokenUtxo, ...payment };
  // without a payment, so that the previous transaction has two outputs and may be merged from
  const halves = split({ ownerKey: alice, tokenUtxo, destinations: parts });
  const mergeTokens = halves.outputs.map((utxo) => ({ utxo, previousTx: halves.tx }));
  const merging = { ownerKey: alice, mergeTokens, ...payment };
  return {
    contract: contracted,
    issue: issued,
    transfer: () => transfer({ ...owned, destination }),
    split: () => split({ ...owned, destinations: parts }),
    merge: () => merge({ ...merging, destination }),
    mergeSplit: () => mergeSplit({ ...merging, destinations: parts }),
    redeemSplit: () => redeemSplit({ ...owned, contractPublicKey, destinations: parts.slice(0, 1) }),
    redeem: () => redeem({ ...owned, contractPublicKey }),
  };
}
