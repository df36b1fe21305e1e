import { type OutputFilter, PlanchetError, type ServiceOutput } from '../../../contract/index.ts';
import type { RemoteOutput } from './api-replies.ts';
import type { ItemStore } from './items.ts';
import type { TokenApi } from './token-api.ts';

interface OutputsDeps {
  readonly api: TokenApi;
  readonly items: ItemStore;
}

/** What the token service holds of a project. A mint makes its outputs; those of no mint can be changed and deleted while unused. */
export class Outputs {
  readonly #deps: OutputsDeps;

  constructor(deps: OutputsDeps) {
    this.#deps = deps;
  }

  /** @throws PlanchetError what the token service says */
  async list(projectUid: string, filter: OutputFilter = {}): Promise<ServiceOutput[]> {
    const outputs = await this.#deps.api.listOutputs(projectUid, undefined, filter);
    const known = await this.#deps.items.knownOutputs(outputs.map(({ uid }) => uid));
    // The list itself does not say what was broadcast: only its filter does.
    const isUsed = outputs.some(({ transactionUid }) => transactionUid != null);
    const onChain =
      filter.onChain === undefined && isUsed
        ? new Set((await this.#deps.api.listOutputs(projectUid, undefined, { onChain: true })).map(({ uid }) => uid))
        : new Set(filter.onChain === true ? outputs.map(({ uid }) => uid) : []);
    return outputs.map((output) => {
      const txId = onChain.has(output.uid) ? (output.txId ?? '') : output.txId;
      return viewOf({ ...output, txId }, known.has(output.uid));
    });
  }

  /** @throws PlanchetError `conflict` (in a transaction or in a mint) | `not-found` */
  async update(projectUid: string, uid: string, name: string): Promise<void> {
    const output = await this.#requireFree(projectUid, uid);
    // Keys that the service sets by itself must not be sent.
    const own = new Set(['app', 'type', 'subType', 'subTypeData']);
    const metadata = Object.fromEntries(
      Object.entries(output.metadata ?? {}).flatMap(([key, value]) =>
        own.has(key) || typeof value !== 'string' ? [] : [[key, value]],
      ),
    );
    await this.#deps.api.updateOutput(uid, { ...metadata, name });
  }

  /** @throws PlanchetError `conflict` (in a transaction or in a mint) | `not-found` */
  async remove(projectUid: string, uid: string): Promise<void> {
    await this.#requireFree(projectUid, uid);
    await this.#deps.api.deleteOutput(uid);
  }

  async #requireFree(projectUid: string, uid: string): Promise<RemoteOutput> {
    const output = (await this.#deps.api.listOutputs(projectUid)).find((one) => one.uid === uid);
    if (output === undefined) throw new PlanchetError('mint.output-missing');
    const inMint = (await this.#deps.items.knownOutputs([uid])).has(uid);
    if (inMint || viewOf(output, inMint).state !== 'unused') throw new PlanchetError('mint.output-in-use');
    return output;
  }
}

function viewOf(
  { uid, createdAt, transactionUid, txId, metadata, offChainData }: RemoteOutput,
  inMint: boolean,
): ServiceOutput {
  const text = (key: string): string => {
    const value = metadata?.[key];
    return typeof value === 'string' ? value.slice(0, 200).toWellFormed() : '';
  };
  return {
    uid,
    createdAt:
      createdAt === null || createdAt === undefined || Number.isNaN(Date.parse(createdAt))
        ? null
        : Date.parse(createdAt),
    name: text('name'),
    subType: text('subType'),
    contentType: offChainData?.contentType?.slice(0, 200) ?? '',
    state: txId != null ? 'on-chain' : transactionUid != null ? 'in-transaction' : 'unused',
    inMint,
  };
}
