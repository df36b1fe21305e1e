import { describe, expect, it } from 'vitest';
import {
  type FundingUtxo,
  feeFor,
  formatOutpoint,
  fromHex,
  p2pkhScript,
  parseTx,
  pushData,
  satoshis,
  serializeTx,
  type Tx,
  type TxOutput,
  type Utxo,
  verifyScripts,
} from '../../../chain/index.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import { moneyBranch, moneyKey, tokenKey } from '../keys/wallet-key.ts';
import { type SigningContext, signCoins, signOneInput, signTokenMove } from './coin-signing.ts';
import { OwnSigner } from './signer.ts';

const seed = new Uint8Array(16);
const branch = moneyBranch(seed, '', 'test');
const [first, second] = [moneyKey(branch, 'test', 0), moneyKey(branch, 'test', 1)];
const ofTokens = tokenKey(seed, '', 'test');
const foreign = p2pkhScript(new Uint8Array(20).fill(7));
const caps = { maxFeeSatoshis: 1_000, maxFeeRate: 1_000 };

function coin(vout: number, value: number, lockingScript = first.lockingScript): FundingUtxo {
  return { txid: 'ab'.repeat(32), vout, satoshis: satoshis(value), lockingScript } as FundingUtxo;
}

function spending(coins: readonly Utxo[], ...values: number[]): Tx {
  return {
    version: 1,
    inputs: coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
    outputs: values.map((value): TxOutput => ({ satoshis: satoshis(value), script: foreign })),
    lockTime: 0,
  };
}

/** @param held what the wallet knows of these coins */
function context(...held: Utxo[]): SigningContext {
  const coins = new Map(held.map((one) => [formatOutpoint(one), { ...one, scriptHash: null }]));
  const coinStore = { coins } as unknown as CoinStore;
  return { signer: new OwnSigner(), keys: [first, second, ofTokens], coinStore };
}

const bytes = (tx: Tx): Uint8Array => serializeTx(tx);
const refused = (key: string) => expect.objectContaining({ values: { reason: expect.objectContaining({ key }) } });

describe('a payment that is to be signed', () => {
  const coins = [coin(0, 5_000), coin(1, 6_000, second.lockingScript)];
  const one = coins[0] as FundingUtxo;

  it('is signed by the key of each coin, so that its scripts hold', async () => {
    const signed = parseTx(await signCoins(bytes(spending(coins, 10_900)), coins, context(...coins), caps));
    expect(verifyScripts(signed, coins)).toEqual({ ok: true });
  });

  it('is signed where the wallet does not know its coins yet', async () => {
    const signed = parseTx(await signCoins(bytes(spending(coins, 10_900)), coins, context(), caps));
    expect(verifyScripts(signed, coins)).toEqual({ ok: true });
    await expect(
      signCoins(bytes(spending(coins, 10_900)), coins, { ...context(), coinStore: undefined }, caps),
    ).resolves.toBeDefined();
  });

  it.each<[string, FundingUtxo[], FundingUtxo[], Utxo[], string]>([
    ['spends a coin that was not chosen', coins, [one], coins, 'reason.coin-not-chosen'],
    ['spends a coin twice', [one, one], [one], coins, 'reason.coin-not-chosen'],
    ['leaves out a coin that was chosen', [one], coins, coins, 'reason.coin-left-out'],
    ['has a coin chosen twice', [one], [one, one], coins, 'reason.coin-twice'],
    ['spends money of nobody here', [coin(0, 5_000, foreign)], [coin(0, 5_000, foreign)], [], 'reason.coin-foreign'],
    [
      'spends a coin of the key of tokens',
      [coin(0, 5_000, ofTokens.lockingScript)],
      [coin(0, 5_000, ofTokens.lockingScript)],
      [],
      'reason.coin-foreign',
    ],
    ['has another amount for a coin', [one], [one], [coin(0, 5_001)], 'reason.coin-amount'],
    ['has another lock for a coin', [one], [one], [coin(0, 5_000, second.lockingScript)], 'reason.coin-no-money'],
  ])('is not signed where it %s', async (_, spent, chosen, held, reason) => {
    await expect(signCoins(bytes(spending(spent, 4_900)), chosen, context(...held), caps)).rejects.toEqual(
      refused(reason),
    );
  });

  it('is signed with the highest fee that the settings allow, and not with a satoshi more', async () => {
    const most = feeFor(bytes(spending(coins, 0)).length, { satoshis: 1_000, bytes: 1_000 });
    expect(most).toBeLessThan(caps.maxFeeSatoshis);
    const pay = (fee: number, limits = caps) =>
      signCoins(bytes(spending(coins, 11_000 - fee)), coins, context(...coins), limits);
    await expect(pay(300)).resolves.toBeDefined();
    await expect(pay(1_001)).rejects.toMatchObject({ id: 'wallet.fee-too-high', detail: { fee: 1_001, limit: 1_000 } });
    const wide = { maxFeeSatoshis: 300, maxFeeRate: 100_000 };
    await expect(pay(300, wide)).resolves.toBeDefined();
    await expect(pay(301, wide)).rejects.toMatchObject({ detail: { fee: 301, limit: 300 } });
  });

  it('is not signed where it is no transaction', async () => {
    await expect(signCoins(Uint8Array.of(1, 2), coins, context(...coins), caps)).rejects.toMatchObject({
      id: 'wallet.transaction-malformed',
    });
  });
});

describe('an input that is to be signed', () => {
  const one = coin(0, 5_000);
  const tx = spending([coin(3, 1), one], 4_900);

  it('is signed by the key that owns what it spends, also that of tokens', async () => {
    const token = coin(3, 1, ofTokens.lockingScript);
    const script = async (index: number, spent: Utxo, key: string): Promise<Uint8Array> => {
      const signature = await signOneInput(bytes(tx), index, spent, context(spent));
      return Uint8Array.of(...pushData(signature), ...pushData(fromHex(key)));
    };
    const scripts = [await script(0, token, ofTokens.publicKey), await script(1, one, first.publicKey)];
    const signed = { ...tx, inputs: tx.inputs.map((input, at) => ({ ...input, script: scripts[at] as Uint8Array })) };
    expect(verifyScripts(signed, [token, one])).toEqual({ ok: true });
  });

  it.each<[string, number, Utxo, Utxo[], string]>([
    ['is another one', 0, one, [one], 'reason.input-elsewhere'],
    ['is not there', 2, one, [one], 'reason.input-elsewhere'],
    ['spends what belongs to nobody here', 1, coin(0, 5_000, foreign), [], 'reason.output-foreign'],
    ['spends what belongs to no key', 1, coin(0, 5_000, Uint8Array.of(0x51)), [], 'reason.output-foreign'],
    ['spends another amount than the wallet knows', 1, one, [coin(0, 5_001)], 'reason.output-unlike'],
    ['has another lock than the wallet knows', 1, one, [coin(0, 5_000, second.lockingScript)], 'reason.output-unlike'],
  ])('is not signed where it %s', async (_, index, spent, held, reason) => {
    await expect(signOneInput(bytes(tx), index, spent, context(...held))).rejects.toEqual(refused(reason));
  });
});

describe('a transaction that moves tokens', () => {
  const token = coin(5, 1, ofTokens.lockingScript);
  const money = coin(0, 5_000);
  const sign = (tx: Tx, tokens: Utxo[] = [token], coins: FundingUtxo[] = [money]) =>
    signTokenMove(bytes(tx), tokens, coins, context(token, money), caps);

  it('is signed by the keys of the tokens and of the coins', async () => {
    const signed = parseTx(await sign(spending([token, money], 1, 4_900)));
    expect(verifyScripts(signed, [token, money])).toEqual({ ok: true });
  });

  it('is signed by the signature alone where the lock of a token holds the key', async () => {
    const envelope = [0x00, 0x63, 0x03, 0x6f, 0x72, 0x64, 0x68];
    const held = coin(5, 1, Uint8Array.of(...envelope, ...pushData(fromHex(first.publicKey)), 0xac));
    const unsigned = bytes(spending([held, money], 1, 4_900));
    const signed = parseTx(await signTokenMove(unsigned, [held], [money], context(held, money), caps));
    expect(verifyScripts(signed, [held, money])).toEqual({ ok: true });
  });

  it('is not signed where a token would not be whole, or anything else would be spent', async () => {
    await expect(sign(spending([token, money], 2, 4_900))).rejects.toEqual(refused('reason.token-not-whole'));
    await expect(sign(spending([token, money]))).rejects.toEqual(refused('reason.token-not-whole'));
    await expect(sign(spending([money, token], 1, 4_900))).rejects.toEqual(refused('reason.coin-not-chosen'));
    await expect(sign(spending([token, money, coin(9, 7)], 1, 4_900))).rejects.toEqual(
      refused('reason.coin-not-chosen'),
    );
    await expect(sign(spending([token], 1))).rejects.toEqual(refused('reason.coin-left-out'));
  });

  it('is not signed with a fee above the limit', async () => {
    await expect(sign(spending([token, money], 1, 3_999))).rejects.toMatchObject({ detail: { fee: 1_001 } });
  });
});
