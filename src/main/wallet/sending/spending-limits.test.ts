import { PrivateKey, Utils } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import { fromHex, hash160, ONE_SATOSHI, p2pkhScript, satoshis, toHex } from '../../../chain/index.ts';
import { contractScript } from '../../../token/schema/schema.ts';
import { tokenScript } from '../../../token/test-support/forge.ts';
import { keys } from '../../../token/test-support/keys.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import { isMovable } from './spending-limits.ts';

const secret = new PrivateKey(987_654_321);
const keyOf = (publicKey: string) => ({ publicKey, pubKeyHash: toHex(hash160(fromHex(publicKey))) });
const compressed = keyOf(secret.toPublicKey().toString());
const uncompressed = keyOf(secret.toPublicKey().encode(false, 'hex') as string);
const scriptOf = ({ pubKeyHash }: { pubKeyHash: string }) => p2pkhScript(fromHex(pubKeyHash));

function contractOf({ pubKeyHash }: { pubKeyHash: string }, more: object = {}): Uint8Array {
  const schema = { symbol: 'CAFE', name: 'Coffee', satsPerToken: 1, totalSupply: 100, tokenId: pubKeyHash, ...more };
  return contractScript(fromHex(pubKeyHash), schema);
}

describe('an output that a plain payment may move', () => {
  it('is any but a redeemable token and a contract that the account can issue', () => {
    const movable = (lockingScript: Uint8Array, key = compressed, value = ONE_SATOSHI) =>
      isMovable({ lockingScript, satoshis: value }, key);
    expect(movable(scriptOf(compressed))).toBe(true);
    expect(movable(scriptOf(compressed), compressed, satoshis(0))).toBe(false);
    expect(movable(tokenScript(keys.alice, 2))).toBe(false);
    expect(movable(contractOf(compressed))).toBe(false);
    // Nobody could issue these: they would stay for ever.
    expect(movable(contractOf(uncompressed))).toBe(true);
    expect(movable(contractOf(uncompressed), uncompressed)).toBe(true);
    // Nobody is shown these, so nobody issues them.
    const deep = JSON.parse(`${'['.repeat(100)}1${']'.repeat(100)}`);
    for (const more of [{ satsPerToken: 1_000_000_001 }, { totalSupply: 2_100_000_000_000_001 }, { deep }])
      expect(movable(contractOf(compressed, more))).toBe(true);
  });
});

const opened = new WalletOfTest();

describe('the outputs that an account counts as its own', () => {
  it.each([
    ['a compressed key', true, 1],
    ['an uncompressed key, which the rules of tokens do not take', false, 0],
  ])('are a redeemable token where it belongs to %s', async (_, isCompressed, count) => {
    const accounts = await openAccounts(opened);
    await opened.wallet.start();
    await accounts.start();
    const wif = isCompressed ? secret.toWif([0xef]) : Utils.toBase58Check(secret.toArray('be', 32), [0xef]);
    const { id } = await accounts.importKey({ name: 'Paper', wif, birthHeight: 0 });
    const { wallet } = accounts.get(id);
    const owner = fromHex(wallet.keys.key.pubKeyHash);
    const { node } = opened.harness;
    node.mine([payment({ script: tokenScript(secret, 2, { owner }), satoshis: 500 })]);
    await wallet.follow();
    expect(wallet.nonFundingOutputs()).toHaveLength(count);
    await accounts.stop();
  });
});
