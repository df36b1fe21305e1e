import {
  concatBytes,
  displayToHash,
  hashPair,
  hashToDisplay,
  type Outpoint,
  sha256d,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import type { SandboxFaultName } from '../../../contract/index.ts';
import type { FaultArea, Faults } from '../controls/faults.ts';
import type { SandboxNode, SubmitResult } from '../node/node.ts';
import { blockAtHeight, blockTxids } from '../node/storage/chain-store.ts';
import type { NodeTransaction } from '../node/types.ts';
import { type IndexedOutput, type IndexedProof, type PublicIndex, proofOf, type Touches } from './public-index.ts';

/** Blocks between invented rows and the tip, so that clients cannot mistake the rows for recent ones. */
const INVENTED_BELOW = 10;

/** Transactions, histories, spends and proofs that one public service serves: those of the index, or false ones by a fault. */
export class ServedIndex {
  readonly #index: PublicIndex;
  readonly #faults: Faults;
  readonly #area: FaultArea;
  /** The first proof served for each txid, for the fault `stale-proof`. */
  readonly #proofs = new Map<string, IndexedProof>();

  constructor(index: PublicIndex, faults: Faults, area: FaultArea) {
    this.#index = index;
    this.#faults = faults;
    this.#area = area;
  }

  get node(): SandboxNode {
    return this.#index.node;
  }

  scriptOfAddress(address: string): string {
    return this.#index.scriptOfAddress(address);
  }

  /** Faults: with the txids of the previous block, or with the level of the Merkle tree above the txids. */
  async block(hash: string): ReturnType<PublicIndex['block']> {
    const found = await this.#index.block(hash);
    if (found !== undefined && this.#lies('other-block')) {
      const below = await blockAtHeight(this.node.db, found.height - 1);
      return below && { ...found, txids: await blockTxids(this.node.db, below.hash) };
    }
    if (found === undefined || found.txids.length < 2 || !this.#lies('inner-node')) return found;
    const leaves = found.txids.map(displayToHash);
    const above = leaves.flatMap((left, at) => (at % 2 === 0 ? [hashPair(left, leaves[at + 1] ?? left)] : []));
    return { ...found, txids: above.map(hashToDisplay) };
  }

  async transaction(txid: string): Promise<NodeTransaction | undefined> {
    const inner = this.#lies('inner-node') ? await this.#innerNode() : undefined;
    const { height, hash } = this.node.tip();
    if (inner !== undefined && inner.txid === txid)
      return { raw: inner.raw, blockHash: hash, blockHeight: height, confirmations: 1 };
    const found = await this.#placed(txid);
    if (found === undefined || !this.#lies('other-bytes')) return found;
    const [other = txid] = await blockTxids(this.node.db, hash);
    const raw = (await this.node.transaction(other))?.raw;
    return raw === undefined ? found : { ...found, raw };
  }

  /** Fault `other-block`: with the block before the right one. */
  async #placed(txid: string): Promise<NodeTransaction | undefined> {
    const found = await this.node.transaction(txid);
    if (found === undefined || found.blockHeight === null || !this.#lies('other-block')) return found;
    const below = await blockAtHeight(this.node.db, found.blockHeight - 1);
    return below === undefined ? found : { ...found, blockHash: below.hash, blockHeight: found.blockHeight - 1 };
  }

  async touches(script: string): Promise<Touches> {
    let { confirmed, unconfirmed } = await this.#index.touches(script);
    const { height } = this.node.tip();
    if (this.#lies('hidden-rows')) {
      confirmed = confirmed.slice(0, -1);
      unconfirmed = [];
    }
    if (this.#lies('invented-rows'))
      confirmed = [...confirmed, { txid: inventedId(script), height: Math.max(1, height - INVENTED_BELOW) }];
    if (this.#lies('inner-node')) {
      const inner = await this.#innerNode();
      if (inner !== undefined) confirmed = [...confirmed, { txid: inner.txid, height }];
    }
    return { confirmed, unconfirmed };
  }

  async unspent(script: string): Promise<IndexedOutput[]> {
    let rows = await this.#index.unspent(script);
    if (this.#lies('hidden-rows')) rows = rows.slice(0, -1);
    if (this.#lies('wrong-amount'))
      rows = rows.map((row) => ({ ...row, satoshis: (row.satoshis * 2) as IndexedOutput['satoshis'] }));
    const { height } = this.node.tip();
    const invented = { txid: inventedId(script), vout: 0, height, spentInMempool: false };
    return this.#lies('invented-rows')
      ? [...rows, { ...invented, satoshis: 1_000_000_000 as IndexedOutput['satoshis'] }]
      : rows;
  }

  /** See {@link PublicIndex.owned}. */
  async owned(addresses: readonly string[]): ReturnType<PublicIndex['owned']> {
    const rows = await this.#index.owned(addresses);
    const shown = this.#lies('hidden-rows') ? rows.slice(0, -1) : rows;
    if (!this.#lies('invented-rows')) return shown;
    const score = Math.max(1, this.node.tip().height - INVENTED_BELOW);
    return [...shown, { txid: inventedId(addresses.join()), vout: 0, score }];
  }

  async spend(outpoint: Outpoint): ReturnType<PublicIndex['spend']> {
    const found = await this.#index.spend(outpoint);
    return found !== undefined && this.#lies('denied-spend') ? 'unspent' : found;
  }

  /** See {@link PublicIndex.spends}. */
  async spends(outpoints: readonly Outpoint[]): ReturnType<PublicIndex['spends']> {
    const found = await this.#index.spends(outpoints);
    return new Map([...found].filter(() => !this.#lies('denied-spend')));
  }

  async proof(txid: string): Promise<IndexedProof | undefined> {
    const inner = this.#lies('inner-node') ? await this.#innerNode() : undefined;
    if (inner !== undefined && inner.txid === txid) return inner.proof;
    const now = await this.#index.proof(txid);
    const proof = this.#lies('stale-proof') ? (this.#proofs.get(txid) ?? now) : now;
    if (proof === undefined) return undefined;
    if (!this.#proofs.has(txid)) this.#proofs.set(txid, proof);
    const below = this.#lies('other-block') ? await blockAtHeight(this.node.db, proof.height - 1) : undefined;
    if (below === undefined) return proof;
    return proofOf({ ...proof, blockHash: below.hash, height: proof.height - 1 });
  }

  /** Submits a transaction to the node. Fault `echoed-broadcast`: only claims so. */
  async submit(submit: SandboxNode['submitBatch'], raw: Uint8Array): Promise<SubmitResult | undefined> {
    if (this.#lies('echoed-broadcast')) return { ok: true, txid: txidOf(raw) };
    return (await submit([raw], { source: 'p2p' }))[0];
  }

  #lies(name: SandboxFaultName): boolean {
    return this.#faults.take(name, this.#area) !== undefined;
  }

  /**
   * The parent of the first two leaves of the newest block's Merkle tree, as a false transaction: its 64 bytes hash to the value that a
   * path without the first level proves. Undefined for a block with only a coinbase.
   */
  async #innerNode(): Promise<{ txid: string; raw: Uint8Array; proof: IndexedProof } | undefined> {
    const { hash } = this.node.tip();
    const [first, second] = await blockTxids(this.node.db, hash);
    if (first === undefined || second === undefined) return undefined;
    const raw = concatBytes(displayToHash(first), displayToHash(second));
    const txid = hashToDisplay(sha256d(raw));
    const proof = await this.#index.proof(first);
    return proof && { txid, raw, proof: proofOf({ ...proof, txid, position: 0, nodes: proof.nodes.slice(1) }) };
  }
}

function inventedId(script: string): string {
  return toHex(sha256d(new TextEncoder().encode(script)));
}
