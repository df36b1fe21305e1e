/** The parts of redeemable tokens over an in-memory chain that runs every script, with a wallet of real keys. */
import type { PrivateKey } from '@bsv/sdk';
import {
  asFundingUtxo,
  type FundingUtxo,
  formatOutpoint,
  fromHex,
  type Outpoint,
  p2pkhScript,
  type Satoshis,
  serializeTx,
  toHex,
  type Utxo,
} from '../../../chain/index.ts';
import { PlanchetError, type TokenRequest } from '../../../contract/index.ts';
import { type BuiltTransaction, decodeContract, decodeToken, finishTransaction } from '../../../token/index.ts';
import { addressOf, hashOf } from '../../../token/test-support/forge.ts';
import { keys } from '../../../token/test-support/keys.ts';
import { signInfo } from '../../../token/test-support/sign-info.ts';
import { World } from '../../../token/test-support/world.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import type { NonFundingOutput, TokenWallet } from '../../ports/wallet.ts';
import { buildDraft, type Draft } from '../build.ts';
import { ChainReader } from '../chain-reader.ts';

export const OWNER = 'token:test';
export const RATE = { satoshis: 50, bytes: 1_000 } as const;

/** The wallet's own key pays and issues; its token key owns tokens; a further address can receive them. */
export const own = { key: keys.issuer, token: keys.alice, further: keys.mallory } as const;

export class TokenLedger {
  readonly world = new World({ quick: true });
  /** Blocks by transaction; a transaction that is not here is unconfirmed. */
  readonly heights = new Map<string, number>();
  /** Reserved outputs and for whom. */
  readonly held = new Map<string, string>();
  state: 'ready' | 'locked' = 'ready';

  readonly node: NodeRpc = {
    call: async <T>(method: string, params: unknown[] = []): Promise<T> => {
      // what a node answers to a command that it does not have
      if (method !== 'getrawtransaction') throw new NodeRpcError(-32601, 'Method not found');
      const [txid, verbose] = params as [string, unknown];
      const tx = this.world.txs.get(txid);
      if (tx === undefined) throw new NodeRpcError(-5, 'No such mempool or blockchain transaction');
      const hex = toHex(serializeTx(tx));
      return (verbose ? { hex, txid } : hex) as T;
    },
  };
  readonly chainData = createNodeChainData(this.node);
  readonly chain = new ChainReader(this.chainData);

  readonly wallet = {
    status: () => ({ state: this.state === 'ready' ? 'ready' : 'locked' }),
    address: () => addressOf(own.key),
    publicKey: () => own.key.toPublicKey().toString(),
    lockingScript: () => p2pkhScript(hashOf(own.key)),
    tokenAddress: () => addressOf(own.token),
    tokenPublicKey: () => own.token.toPublicKey().toString(),
    publicKeyOf: (pubKeyHash: string) =>
      Object.values(own)
        .find((key) => toHex(hashOf(key)) === pubKeyHash)
        ?.toPublicKey()
        .toString(),
    nonFundingOutputs: () => this.#nonFunding(),
    reserve: async (owner: string, total: Satoshis, feeFor: (inputs: number) => Satoshis) =>
      this.#reserve(owner, total, feeFor),
    reserved: (owner: string) => this.#coins().filter((coin) => this.held.get(formatOutpoint(coin)) === owner),
    hold: async (owner: string, outpoints: readonly Outpoint[]) => {
      for (const outpoint of outpoints) this.held.set(formatOutpoint(outpoint), owner);
    },
  } as unknown as TokenWallet;

  /** A coin of the wallet. */
  fund(satoshis: number): Utxo {
    return this.world.coin(own.key, satoshis);
  }

  draft(request: TokenRequest): Promise<Draft> {
    return buildDraft(request, { wallet: this.wallet, chain: this.chain, rate: RATE, owner: OWNER, replaces: [] });
  }

  /** Signs a draft with the wallet's keys and puts it on the chain, which runs its scripts. */
  accept({ unsigned }: Draft): BuiltTransaction {
    return this.world.accept(finishTransaction(unsigned, unsigned.signingInfo.map(signInfo)));
  }

  /** Builds, signs and sends. @returns outpoints of the tokens or the contract that it made */
  async perform(request: TokenRequest): Promise<{ txid: string; made: string[] }> {
    this.fund(100_000);
    const { txid, outputs } = this.accept(await this.draft(request));
    const made = outputs.filter(({ lockingScript }) => isToken(lockingScript)).map(formatOutpoint);
    this.held.clear();
    return { txid, made };
  }

  /** A contract over the supply, issued as tokens of these amounts to the wallet's token key. */
  async issued(amounts: readonly number[], to: PrivateKey = own.token): Promise<string[]> {
    const supply = amounts.reduce((sum, amount) => sum + amount, 0);
    this.fund(supply + 100_000);
    const contract = await this.perform({ action: 'contract', schema: design(supply) });
    const { made } = await this.perform({
      action: 'issue',
      contract: contract.made[0] as string,
      splittable: true,
      to: amounts.map((satoshis) => ({ address: addressOf(to), satoshis })),
    });
    return made;
  }

  /** Moves a token to the wallet's own token key. A merge takes tokens of short transactions only. @returns its new outpoint */
  async moved(token: string): Promise<string> {
    const { made } = await this.perform({ action: 'transfer', token, to: addressOf(own.token) });
    return made[0] as string;
  }

  #nonFunding(): NonFundingOutput[] {
    const mine = Object.values(own).map((key) => toHex(hashOf(key)));
    return [...this.world.unspent.values()]
      .filter(({ lockingScript }) => isToken(lockingScript) && mine.some((hash) => toHex(lockingScript).includes(hash)))
      .map((utxo) => ({
        utxo,
        height: this.heights.get(utxo.txid) ?? null,
        owner: this.held.get(formatOutpoint(utxo)),
      }));
  }

  #coins(): FundingUtxo[] {
    const script = toHex(p2pkhScript(hashOf(own.key)));
    return [...this.world.unspent.values()]
      .filter(({ lockingScript }) => toHex(lockingScript) === script)
      .flatMap((utxo) => asFundingUtxo(utxo) ?? []);
  }

  /** The largest coins first, so that as few as possible pay. */
  #reserve(owner: string, total: Satoshis, feeFor: (inputs: number) => Satoshis): FundingUtxo[] {
    const free = this.#coins()
      .filter((coin) => !this.held.has(formatOutpoint(coin)))
      .sort((a, b) => b.satoshis - a.satoshis);
    let sum = 0;
    for (const [index, coin] of free.entries()) {
      sum += coin.satoshis;
      if (sum < total + feeFor(index + 1)) continue;
      const chosen = free.slice(0, index + 1);
      for (const one of chosen) this.held.set(formatOutpoint(one), owner);
      return chosen;
    }
    const detail = { needed: total + feeFor(1), spendable: sum };
    throw new PlanchetError({ code: 'funds-insufficient', message: 'Too few coins.', detail });
  }
}

/** The design of a token with one satoshi a unit. */
export function design(totalSupply: number) {
  return { symbol: 'CAFE', name: 'Coffee', satsPerToken: 1, totalSupply };
}

export function isToken(script: Uint8Array): boolean {
  return decodeToken(script) !== undefined || decodeContract(script) !== undefined;
}

export function publicKey(): Uint8Array {
  return fromHex(own.key.toPublicKey().toString());
}
