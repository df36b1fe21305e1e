import {
  addressNetwork,
  encodeAddress,
  fromHex,
  type Outpoint,
  parseBump,
  parseHeader,
  pathInBump,
  tscNodes,
} from '../../../chain/index.ts';
import { type Network, PlanchetError, phrase, type Reason } from '../../../contract/index.ts';
import type {
  Answer,
  BlockHead,
  BlockListing,
  BlockPlace,
  ChainData,
  FindKept,
  Inclusion,
  KeyHistory,
  OutputState,
  SpendTold,
} from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainHeader, HeaderChain, ProofVerifier } from '../../ports/headers.ts';
import { proven, told, unknown } from '../answers.ts';
import { Listing, leadsTo } from '../blocks/listing.ts';
import { createProofVerifier } from '../headers/proof-verifier.ts';
import { findKept } from '../kept.ts';
import type { SourceAnswer } from '../sources/http/source-client.ts';
import { noneAnswered } from '../sources/none-answered.ts';
import { type HistorySource, ofId, type TransactionSource } from '../sources/transaction-source.ts';
import { HiddenRows, LATE_BLOCKS } from './hidden-rows.ts';
import { Histories, historyOf } from './histories.ts';
import { outputOf, scriptsOf, spends } from './parts-of-bytes.ts';

/** Refusals of a proof that was made up, and is not only of a block that left the chain. */
const LIES: ReadonlySet<string> = new Set(['malformed', 'invalid', 'other-transaction']);

const notListed = { state: 'unknown', reason: phrase('reason.no-lists') } as const;

export interface PublicChainDataOptions {
  readonly headers: HeaderChain;
  /** In the order in which they are asked. */
  readonly sources: () => readonly TransactionSource[];
  /** Sources that find further transactions of addresses. */
  readonly finders?: () => readonly HistorySource[];
  readonly clock: Pick<Clock, 'now'>;
  readonly network: Network;
  /** Holders of mined transactions in this program: they are asked before any source. */
  readonly kept?: readonly FindKept[];
  /** Told of each answer that failed a check. */
  readonly onInvalid: (source: TransactionSource, reason: Reason) => void;
}

/**
 * Answers from public services. Bytes are held against their hash and inclusion against the verified headers; what cannot be shown, that an output
 * is unspent, rests on how many operators say so. What such services have no question for is unknown.
 */
export function createPublicChainData(options: PublicChainDataOptions): ChainData {
  const histories = new Histories(options.clock);
  const { headers } = options;
  const shared = { verifier: createProofVerifier(headers), histories, hidden: new HiddenRows(headers) };
  return new PublicChainData(options, shared, undefined);
}

/** Shared by the chain data of all signals. */
interface Shared {
  readonly verifier: ProofVerifier;
  readonly histories: Histories;
  readonly hidden: HiddenRows;
}

class PublicChainData implements ChainData {
  readonly name = 'publicSources';
  readonly withoutLists = true;
  readonly #options: PublicChainDataOptions;
  readonly #shared: Shared;
  readonly #signal: AbortSignal | undefined;

  constructor(options: PublicChainDataOptions, shared: Shared, signal: AbortSignal | undefined) {
    this.#options = options;
    this.#shared = shared;
    this.#signal = signal;
  }

  until(signal: AbortSignal): ChainData {
    const both = this.#signal === undefined ? signal : AbortSignal.any([this.#signal, signal]);
    return new PublicChainData(this.#options, this.#shared, both);
  }

  async tip() {
    const { headers } = this.#options;
    if (headers.tip === null) await headers.refresh();
    const { tip } = headers;
    if (tip === null) throw new PlanchetError('chain.no-headers');
    return { basis: headers.isAgreed ? 'agreed' : 'told', value: placeOf(tip) } as const;
  }

  async hashAt(height: number): Promise<Answer<string>> {
    const found = this.#options.headers.at(height);
    return found === undefined ? unknown : proven(found.hash);
  }

  async headerAt(height: number): Promise<Answer<BlockHead>> {
    return headOf(this.#options.headers.at(height));
  }

  async header(hash: string): Promise<Answer<BlockHead>> {
    return headOf(this.#options.headers.header(hash));
  }

  headerAnywhere(hash: string): Promise<Answer<BlockHead>> {
    return this.header(hash);
  }

  totals = async () => unknown;
  waiting = async () => unknown;
  search = async () => unknown;
  holds = async () => false;
  mempool = async () => unknown;
  unminedAncestors = async () => unknown;
  outputs = async () => undefined;

  async transaction(txid: string): Promise<Answer<Uint8Array>> {
    const kept = await this.#kept(txid);
    if (kept?.rawTx != null) return proven(kept.rawTx);
    return this.#first(async (source) => {
      const answer = await source.transaction(txid, this.#signal);
      if (answer.state === 'unknown') this.#nameInventor(source, txid);
      return answer;
    });
  }

  async transactions(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const found = await this.#inBulk(txids);
    for (const txid of txids) {
      if (found.has(txid)) continue;
      const { value } = await this.transaction(txid);
      if (value !== undefined) found.set(txid, value);
    }
    return found;
  }

  async placed(txid: string, known?: Uint8Array): ReturnType<ChainData['placed']> {
    const answer = known === undefined ? await this.transaction(txid) : proven(known);
    if (answer.value === undefined) return answer;
    const raw = answer.value;
    const { value: found } = await this.#inclusionOf(txid);
    if (found === undefined) return told({ raw, block: null });
    this.#shared.hidden.show(txid, found, await scriptsOf(raw));
    return proven({ raw, block: placeOf(found), path: found.path });
  }

  async placeOf(txid: string, known?: Uint8Array): Promise<Answer<BlockPlace | null>> {
    const placed = await this.placed(txid, known);
    return placed.basis === 'unknown' ? placed : { basis: placed.basis, value: placed.value.block };
  }

  async inclusion(txid: string, hash?: string, known?: Uint8Array): Promise<Answer<Inclusion>> {
    const raw = known === undefined ? await this.transaction(txid) : proven(known);
    const found = raw.value === undefined ? raw : await this.#inclusionOf(txid);
    return hash === undefined || found.value?.hash === hash ? found : unknown;
  }

  async coinbase(hash: string): Promise<Answer<{ raw: Uint8Array; nodes: readonly string[] }>> {
    const named = await this.#first(async (source) => (await source.coinbase?.(hash, this.#signal)) ?? notListed);
    const { value: txid } = named;
    if (txid === undefined) return unknown;
    const { value: raw } = await this.transaction(txid);
    if (raw === undefined) return unknown;
    const { value: found } = await this.#inclusionOf(txid);
    // The path shows that it is the first one, whoever named it.
    if (found?.hash !== hash || found.path.index !== 0) return unknown;
    return proven({ raw, nodes: tscNodes(found.path) });
  }

  async listing(block: Pick<BlockHead, 'hash' | 'merkleRoot'>): Promise<Answer<BlockListing>> {
    return this.#first(async (source): Promise<SourceAnswer<Listing>> => {
      const answer = (await source.blockIds?.(block.hash, this.#signal)) ?? { ...notListed, state: 'unavailable' };
      if (answer.state !== 'present') return answer;
      if (!(await leadsTo(block.merkleRoot, answer.value)))
        return { state: 'invalid', reason: phrase('reason.other-transactions', { hash: block.hash }) };
      // the hashes of a level above the transactions lead to the same root: none of them is the hash of a transaction
      const first = await this.transaction(answer.value[0] as string);
      if (first.value === undefined) return { state: 'unavailable', reason: phrase('reason.no-first-transaction') };
      return { ...answer, value: new Listing(block, answer.value) };
    });
  }

  async output(outpoint: Outpoint): Promise<Answer<OutputState>> {
    const { value: raw } = await this.transaction(outpoint.txid);
    const output = raw && (await outputOf(raw, outpoint.vout));
    if (raw === undefined || output === undefined) return unknown;
    const { spender, claimedBy, sources, answers } = await this.#askSpender(outpoint);
    this.#requireOne(sources, answers);
    if (spender !== undefined) {
      const { value: place } = await this.#inclusionOf(spender.txid);
      if (place === undefined) return told({ state: 'spent', by: spender.txid });
      this.#nameDeniers(spender.txid, sources, answers);
      return unknown;
    }
    // A source that names a spender which nobody has disagrees with the others. Neither side proves anything.
    if (claimedBy.length > 0 || answers.some(({ state }) => state === 'present')) return unknown;
    const unspent = sources.filter((_, index) => answers[index]?.state === 'absent');
    if (unspent.length === 0) return unknown;
    const { value: place } = await this.#inclusionOf(outpoint.txid);
    const { tip } = this.#options.headers;
    const confirmations = place === undefined || tip === null ? 0 : Math.max(0, tip.height - place.height + 1);
    const basis = new Set(unspent.map(({ operator }) => operator)).size >= 2 ? 'agreed' : 'told';
    return { basis, value: { state: 'unspent', output, confirmations } };
  }

  /** Names who says that nothing spends an output whose spender is in a block. @param answers in the order of the sources */
  #nameDeniers(by: string, sources: readonly TransactionSource[], answers: readonly SourceAnswer<string>[]): void {
    for (const [index, source] of sources.entries())
      if (answers[index]?.state === 'absent')
        this.#options.onInvalid(source, phrase('reason.denies-spend', { txid: by }));
  }

  /** Names a source that lists a transaction as mined long ago and does not have it: it was made up. Its rows stay, since this is no proof. */
  #nameInventor(source: TransactionSource, txid: string): void {
    const height = this.#shared.histories.minedAt(source.name, txid);
    const top = (this.#options.headers.tip?.height ?? 0) - LATE_BLOCKS;
    if (height !== undefined && height <= top)
      this.#options.onInvalid(source, phrase('reason.invented', { txid, height }));
  }

  async claimedSpent(outpoints: readonly Outpoint[]): Promise<readonly Outpoint[]> {
    if (outpoints.length === 0) return [];
    const source = this.#options.sources().find((one) => one.spent !== undefined);
    const answer = await source?.spent?.(outpoints, this.#signal);
    return answer?.state === 'present' ? answer.value : [];
  }

  async spends(outpoint: Outpoint): Promise<SpendTold> {
    const { sources: _, answers: __, ...told } = await this.#askSpender(outpoint);
    return told;
  }

  /** Asks every source what spends an output, and checks the bytes of what they name. */
  async #askSpender(outpoint: Outpoint) {
    const sources = this.#options.sources();
    const answers = await Promise.all(sources.map((source) => source.spender(outpoint, this.#signal)));
    const named = (state: SourceAnswer<string>['state']): string[] =>
      sources.filter((_, index) => answers[index]?.state === state).map(({ name }) => name);
    const told = {
      claimedBy: [] as string[],
      deniedBy: named('absent'),
      silent: named('unavailable'),
      sources,
      answers,
    };
    for (const [index, source] of sources.entries()) {
      const answer = answers[index];
      if (answer?.state !== 'present') continue;
      const raw = await this.#bytesIfAnswered(answer.value);
      if (raw === undefined) told.claimedBy.push(source.name);
      else if (await spends(raw, outpoint)) return { ...told, spender: { txid: answer.value, raw } };
      else this.#options.onInvalid(source, phrase('reason.spends-other', { txid: answer.value }));
    }
    return { ...told, spender: undefined };
  }

  /** A source that names a spender and then does not answer must not end the whole question. */
  async #bytesIfAnswered(txid: string): Promise<Uint8Array | undefined> {
    try {
      return (await this.transaction(txid)).value;
    } catch (error) {
      if (error instanceof PlanchetError && error.id === 'chain.sources-unavailable') return undefined;
      throw error;
    }
  }

  async history(keys: readonly string[], awaited: readonly string[] = []): Promise<Answer<KeyHistory>> {
    const { network, sources, finders } = this.#options;
    const byAddress = new Map(keys.map((key) => [encodeAddress(fromHex(key), addressNetwork(network)), key]));
    const addresses = [...byAddress.keys()];
    const expected = new Set(awaited);
    const { histories, hidden } = this.#shared;
    const all = sources();
    hidden.watch(keys);
    const { rows, operators, failures, told, cut } = await histories.read(
      [...all, ...(finders?.() ?? [])],
      addresses,
      this.#signal,
      addresses.filter((address) => expected.has(byAddress.get(address) ?? '')),
    );
    for (const { name, reason } of hidden.find(told, (address) => byAddress.get(address) ?? '')) {
      const source = all.find((one) => one.name === name);
      if (source !== undefined) this.#options.onInvalid(source, reason);
    }
    if (operators === 0) throw noneAnswered(failures);
    const value = historyOf(rows, (address) => byAddress.get(address) ?? '');
    return { basis: operators > 1 ? 'agreed' : 'told', value: { ...value, cut } };
  }

  onTransaction(): () => void {
    return () => undefined;
  }

  async isInMempool(txid: string): Promise<Answer<boolean>> {
    const { value } = await this.placed(txid);
    return told(value !== undefined && value.block === null);
  }

  /** The transactions that the first source with bulk requests has. The others are asked for one by one. */
  async #inBulk(txids: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    const source = this.#options.sources().find((one) => one.transactions !== undefined);
    if (source?.transactions === undefined || txids.length < 2) return found;
    const answer = await source.transactions(txids, this.#signal);
    if (answer.state !== 'present') return found;
    for (const [txid, raw] of answer.value) {
      const one = ofId({ ...answer, value: raw }, txid);
      if (one.state === 'present') found.set(txid, raw);
      else if (one.state === 'invalid') this.#options.onInvalid(source, one.reason);
    }
    return found;
  }

  #kept(txid: string): ReturnType<typeof findKept> {
    const { kept: finders = [], headers } = this.#options;
    return findKept({ finders, headers }, txid);
  }

  /** The first proof that holds. That none does says nothing: a service may not have it yet. */
  async #inclusionOf(txid: string): Promise<Answer<Inclusion>> {
    const kept = await this.#kept(txid);
    if (kept !== undefined) return proven(kept.inclusion);
    return this.#first(async (source): Promise<SourceAnswer<Inclusion>> => {
      const answer = await source.proof(txid, this.#signal);
      if (answer.state !== 'present') return answer;
      const verified = await this.#shared.verifier.verify(txid, answer.value);
      if ('refused' in verified)
        return { state: LIES.has(verified.refused) ? 'invalid' : 'unavailable', reason: verified.reason };
      const path = pathInBump(parseBump(verified.bump), txid);
      if (path === undefined) return { state: 'invalid', reason: phrase('reason.proof-of-other') };
      const { blockHash: hash, height, header } = verified;
      return { ...answer, value: { hash, height, header, path } };
    });
  }

  /** The first that shows what it says. @throws PlanchetError `chain.sources-unavailable` where nobody answers */
  async #first<T>(ask: (source: TransactionSource) => Promise<SourceAnswer<T>>): Promise<Answer<T>> {
    const sources = this.#options.sources();
    const answers: SourceAnswer<T>[] = [];
    for (const source of sources) {
      const answer = await ask(source);
      if (answer.state === 'present') return proven(answer.value);
      if (answer.state === 'invalid') this.#options.onInvalid(source, answer.reason);
      answers.push(answer);
    }
    this.#requireOne(sources, answers);
    const without = sources.filter(
      (_, index) => answers[index]?.state === 'absent' || answers[index]?.state === 'unknown',
    );
    return { basis: 'unknown', operators: new Set(without.map(({ operator }) => operator)).size };
  }

  #requireOne(sources: readonly TransactionSource[], answers: readonly SourceAnswer<unknown>[]): void {
    if (answers.some(({ state }) => state !== 'unavailable' && state !== 'invalid')) return;
    throw noneAnswered(
      answers.flatMap((answer, index) =>
        answer.state === 'present' ? [] : [{ name: sources[index]?.name ?? '', reason: answer.reason }],
      ),
    );
  }
}

function placeOf({ hash, height }: BlockPlace): BlockPlace {
  return { hash, height };
}

function headOf(found: ChainHeader | undefined): Answer<BlockHead> {
  if (found === undefined) return unknown;
  const { previousHash, merkleRoot, time } = parseHeader(found.header);
  return proven({ ...found, previousHash, merkleRoot, time, transactions: undefined, size: undefined });
}
