/**
 * The life of a token through all eight functions, each in its three forms, and traced back. It is deterministic, so that the results of
 * several environments can be compared.
 */
import { BigNumber, ECDSA, PrivateKey } from '@bsv/sdk';
import {
  type BuiltTransaction,
  contract,
  contractWithCallback,
  decodeToken,
  encodeAddress,
  finishTransaction,
  hash160,
  issue,
  issueWithCallback,
  merge,
  mergeSplit,
  mergeSplitWithCallback,
  mergeWithCallback,
  p2pkhScript,
  publicKeyOf,
  redeem,
  redeemSplit,
  redeemSplitWithCallback,
  redeemWithCallback,
  type SignCallbacks,
  type SigningInfo,
  satoshis,
  split,
  splitWithCallback,
  type Tx,
  toHex,
  traceToken,
  transfer,
  transferWithCallback,
  txidOf,
  type UnsignedTransaction,
  type Utxo,
  unsignedContract,
  unsignedIssue,
  unsignedMerge,
  unsignedMergeSplit,
  unsignedRedeem,
  unsignedRedeemSplit,
  unsignedSplit,
  unsignedTransfer,
} from '../../src/token/index.ts';

/** The result of one function, as hex: signed with keys, by callbacks, and unsigned and finished later. */
interface Made {
  readonly name: string;
  readonly keys: string;
  readonly callbacks: string;
  readonly unsigned: string;
  readonly finished: string;
}

export interface Life {
  readonly made: readonly Made[];
  /** Actions of the trace from the last token to its contract. */
  readonly trace: readonly string[];
  readonly origin: string | undefined;
  readonly contract: string;
  /** Symbol and owner of the last token, read from its script. */
  readonly token: string;
  readonly expectedToken: string;
}

interface Forms<Private, Public> {
  readonly keys: (params: Private) => BuiltTransaction;
  readonly callbacks: (params: Public, callbacks: SignCallbacks) => Promise<BuiltTransaction>;
  readonly unsigned: (params: Public) => UnsignedTransaction;
}

const keyOf = (n: number): PrivateKey => PrivateKey.fromHex(n.toString(16).padStart(64, '0'));
const [issuer, alice, bob, payer] = [keyOf(1), keyOf(2), keyOf(3), keyOf(4)];
const signers = new Map([issuer, alice, bob, payer].map((key) => [toHex(publicKeyOf(key)), key]));
const hashOf = (owner: PrivateKey): Uint8Array => hash160(publicKeyOf(owner));
const addressOf = (owner: PrivateKey): string => encodeAddress(hashOf(owner), 'test');

/** Signs outside the library, with nothing but the digest. */
function sign({ digest, sighash, publicKey }: SigningInfo): string {
  const key = signers.get(publicKey) as PrivateKey;
  return (ECDSA.sign(new BigNumber(digest, 16), key, true).toDER('hex') as string) + sighash.toString(16);
}

class Chain {
  readonly txs = new Map<string, Tx>();
  readonly made: Made[] = [];

  /** A coin of a made-up transaction. */
  coin(owner: PrivateKey, amount: number): Utxo {
    const output = { satoshis: satoshis(amount), script: p2pkhScript(hashOf(owner)) };
    const tx: Tx = { version: 1, inputs: [], outputs: [output], lockTime: this.txs.size };
    this.txs.set(txidOf(tx), tx);
    return { txid: txidOf(tx), vout: 0, satoshis: output.satoshis, lockingScript: output.script };
  }

  pay(): { paymentUtxo: Utxo; paymentKey: PrivateKey } {
    return { paymentUtxo: this.coin(payer, 20_000), paymentKey: payer };
  }

  /** Builds the same transaction in all forms; the one signed with keys is used further. */
  async build<Private extends object, Public>(
    name: string,
    forms: Forms<Private, Public>,
    params: Private,
  ): Promise<readonly Utxo[]> {
    const isKey = (value: unknown): value is PrivateKey => value instanceof PrivateKey;
    const entries = Object.entries(params).map(([key, value]) => [key, isKey(value) ? publicKeyOf(value) : value]);
    const publicParams = Object.fromEntries(entries) as Public;
    const signed = forms.keys(params);
    const asked = await forms.callbacks(publicParams, { owner: async (request) => sign(request) });
    const unsigned = JSON.stringify(forms.unsigned(publicParams));
    const sent = JSON.parse(unsigned) as UnsignedTransaction;
    const finished = finishTransaction(sent, sent.signingInfo.map(sign));
    this.made.push({ name, keys: signed.hex, callbacks: asked.hex, unsigned, finished: finished.hex });
    this.txs.set(signed.txid, signed.tx);
    return signed.outputs;
  }

  withParent(utxo: Utxo): { utxo: Utxo; previousTx: Tx } {
    return { utxo, previousTx: this.txs.get(utxo.txid) as Tx };
  }
}

const contracts = { keys: contract, callbacks: contractWithCallback, unsigned: unsignedContract };
const issues = { keys: issue, callbacks: issueWithCallback, unsigned: unsignedIssue };
const transfers = { keys: transfer, callbacks: transferWithCallback, unsigned: unsignedTransfer };
const splits = { keys: split, callbacks: splitWithCallback, unsigned: unsignedSplit };
const merges = { keys: merge, callbacks: mergeWithCallback, unsigned: unsignedMerge };
const mergeSplits = { keys: mergeSplit, callbacks: mergeSplitWithCallback, unsigned: unsignedMergeSplit };
const redeemSplits = { keys: redeemSplit, callbacks: redeemSplitWithCallback, unsigned: unsignedRedeemSplit };
const redeems = { keys: redeem, callbacks: redeemWithCallback, unsigned: unsignedRedeem };

export async function live(): Promise<Life> {
  const chain = new Chain();
  const contractPublicKey = publicKeyOf(issuer);
  const to = (owner: PrivateKey, amount: number) => ({ address: addressOf(owner), satoshis: amount });
  const [contractUtxo] = (await chain.build('contract', contracts, {
    issuerKey: issuer,
    inputUtxos: [chain.coin(issuer, 10_000)],
    paymentUtxos: [chain.coin(payer, 20_000)],
    paymentKey: payer,
    schema: { symbol: 'CAFE', satsPerToken: 10, tokenId: toHex(hashOf(issuer)), totalSupply: 1_000, name: 'Coffee' },
    tokenSatoshis: 10_000,
  })) as [Utxo];
  const [tokenUtxo] = (await chain.build('issue', issues, {
    issuerKey: issuer,
    issueInfo: [{ ...to(alice, 10_000), data: 'first edition' }],
    contractUtxo,
    isSplittable: true,
    symbol: 'CAFE',
    ...chain.pay(),
  })) as [Utxo];
  const moving = { ownerKey: alice, tokenUtxo, destination: addressOf(bob), ...chain.pay() };
  const [moved] = (await chain.build('transfer', transfers, moving)) as [Utxo];
  // without a payment, so that both tokens can be merged
  const dividing = { ownerKey: bob, tokenUtxo: moved, destinations: [to(alice, 4_000), to(alice, 6_000)] };
  const halves = await chain.build('split', splits, dividing);
  const sharing = {
    ownerKey: alice,
    mergeTokens: halves.map((utxo) => chain.withParent(utxo)),
    destinations: [to(bob, 1_000), to(bob, 9_000)],
  };
  const shares = await chain.build('mergeSplit', mergeSplits, sharing);
  const merging = {
    ownerKey: bob,
    mergeTokens: shares.map((utxo) => chain.withParent(utxo)),
    destination: addressOf(alice),
    ...chain.pay(),
  };
  const [merged] = (await chain.build('merge', merges, merging)) as [Utxo];
  const [, kept] = (await chain.build('redeemSplit', redeemSplits, {
    ownerKey: alice,
    contractPublicKey,
    tokenUtxo: merged,
    destinations: [to(bob, 2_500)],
    ...chain.pay(),
  })) as [Utxo, Utxo];
  const redeeming = { ownerKey: bob, contractPublicKey, tokenUtxo: kept, ...chain.pay() };
  await chain.build('redeem', redeems, redeeming);

  const { steps, origins } = await traceToken(kept, async (txid) => chain.txs.get(txid));
  const token = decodeToken(kept.lockingScript);
  return {
    made: chain.made,
    trace: steps.map(({ action }) => action),
    origin: origins[0]?.txid,
    contract: contractUtxo.txid,
    token: `${token?.symbol} ${token && toHex(token.owner)}`,
    expectedToken: `CAFE ${toHex(hashOf(bob))}`,
  };
}
