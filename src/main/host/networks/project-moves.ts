import { join } from 'node:path';
import {
  type Contract,
  MAX_MOVED_ROYALTIES,
  type Network,
  PlanchetError,
  type ProjectPreview,
  type Serves,
  toFailure,
} from '../../../contract/index.ts';
import { policyOf } from '../../merchant/policy.ts';
import type { KeyCheck } from '../../merchant/protocols/mapi/merchant-keys.ts';
import { protocols } from '../../merchant/protocols/protocols.ts';
import { foreignReceivers, takeProject, withReceivers } from '../../studio/projects/project-copy.ts';
import { costOf } from '../../studio/runs/cost.ts';
import type { Studio } from '../../studio/studio.ts';
import type { ItemRow } from '../../studio/tables.ts';
import { fromNetworkStore, type Infrastructure, openNetworkStore } from '../infrastructure.ts';
import type { TestedMiner } from './network-test.ts';
import type { Networks } from './networks.ts';

const QUOTE_TIMEOUT_MS = 10_000;

type Target = { projectUid: string; to: Network };
type Copy = Target & { royalties: Readonly<Record<string, string>> };
type Offer = ProjectPreview['miners'][number];

export interface ProjectMovesParts extends Pick<Infrastructure, 'network' | 'clock' | 'outbound'> {
  readonly dataDir: string;
  readonly studio: Pick<Studio, 'copyOf' | 'itemRows' | 'files'>;
  readonly networks: Pick<Networks, 'minersOf'>;
}

/** Copies projects from the network in use to others. */
export class ProjectMoves implements Serves<Contract['projectMoves']> {
  readonly #parts: ProjectMovesParts;

  constructor(parts: ProjectMovesParts) {
    this.#parts = parts;
  }

  /** @throws PlanchetError `not-found` | `invalid-input` for the network in use */
  async preview({ projectUid, to }: Target): Promise<ProjectPreview> {
    this.#requireOther(to);
    const { studio, networks } = this.#parts;
    const copy = await studio.copyOf(projectUid);
    const [miners, rows] = [await networks.minersOf(to), await studio.itemRows(projectUid)];
    return {
      name: copy.name,
      type: copy.type,
      items: copy.items.length,
      contentBytes: copy.items.reduce((sum, { bytes }) => sum + bytes, 0),
      nameTaken: await this.#isTaken(to, copy.name),
      royalties: foreignReceivers(copy, to).slice(0, MAX_MOVED_ROYALTIES),
      miners: await Promise.all(miners.map((miner) => this.#offer(miner, rows))),
    };
  }

  /**
   * @throws PlanchetError `not-found` | `invalid-input` for the network in use, an empty project, or receivers of royalties that are open |
   * `address-invalid` | `disk-full`
   */
  async copy({ projectUid, to, royalties }: Copy): Promise<{ projectUid: string; items: number }> {
    this.#requireOther(to);
    const { studio, dataDir, clock } = this.#parts;
    const copy = withReceivers(await studio.copyOf(projectUid), to, royalties);
    if (copy.items.length === 0) throw new PlanchetError('run.nothing-to-mint');
    const store = await openNetworkStore(dataDir, to);
    try {
      const uid = await takeProject(copy, {
        network: to,
        store,
        folder: join(dataDir, to, 'files'),
        clock,
        read: async (sha256) => new Uint8Array(await (await studio.files.read({ sha256 })).arrayBuffer()),
      });
      return { projectUid: uid, items: copy.items.length };
    } finally {
      await store.close();
    }
  }

  #requireOther(to: Network): void {
    if (to === this.#parts.network) throw new PlanchetError('project-move.same-network', { network: to });
  }

  async #isTaken(to: Network, name: string): Promise<boolean> {
    const named = await fromNetworkStore(this.#parts.dataDir, to, ({ db }) => {
      const all = db.selectFrom('studio_projects').select('uid').where('network', '=', to);
      return all.where('name', '=', name).limit(1).executeTakeFirst();
    });
    return named !== undefined;
  }

  /** What a miner asks for all items now. Its signature is not checked: nothing is signed by this price. */
  async #offer(miner: TestedMiner, rows: readonly ItemRow[]): Promise<Offer> {
    const { name, kind, url, apiKey, keyStyle } = miner;
    const { clock, outbound } = this.#parts;
    const keys: KeyCheck = {
      isTrusted: () => true,
      check: async (endpoint, publicKey) => ({ endpoint, publicKey, since: clock.now(), pinned: false }),
    };
    try {
      const endpoint = protocols[kind].client({
        ...{ url: () => url, apiKey, keyStyle, timeoutMs: QUOTE_TIMEOUT_MS, clock, keys, outbound },
        miner: { id: name, name, kind },
      });
      const quote = await endpoint.quote();
      const rate = quote.standard;
      const cost = costOf(rows, rate, policyOf(quote));
      return { name, rate: { satoshis: rate.satoshis, bytes: rate.bytes }, ...cost };
    } catch (error) {
      return { name, rate: null, transactions: null, total: null, problems: [toFailure(error)] };
    }
  }
}
