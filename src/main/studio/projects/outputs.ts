import {
  type Contract,
  type NewServiceOutput,
  PlanchetError,
  type Serves,
  type ServiceOutput,
} from '../../../contract/index.ts';
import type { ContentStore } from '../content/content-store.ts';
import type { RemoteOutput } from './api-replies.ts';
import type { ItemStore } from './items.ts';
import { checkedMetadata, checkedSubTypeData, protocolMetadata } from './metadata.ts';
import type { ProjectStore } from './projects.ts';
import type { TokenApi } from './token-api.ts';

type Served = Serves<Contract['outputs']>;

interface OutputsDeps {
  readonly api: TokenApi;
  readonly items: ItemStore;
  readonly files: Pick<ContentStore, 'info' | 'pieces'>;
  readonly projects: Pick<ProjectStore, 'isDirect'>;
}

/** What the token service holds of a project. A mint makes its outputs by itself. Others can be made here, and changed and deleted while unused. */
export class Outputs implements Served {
  readonly #deps: OutputsDeps;

  constructor(deps: OutputsDeps) {
    this.#deps = deps;
  }

  /** @throws PlanchetError `conflict` (the service does not have the project) | what the token service says */
  async list({ projectUid, filter = {} }: Parameters<Served['list']>[0]): Promise<ServiceOutput[]> {
    await this.#requireServed(projectUid);
    const outputs = await this.#deps.api.listOutputs(projectUid, undefined, filter);
    const known = await this.#deps.items.knownOutputs(outputs.map(({ uid }) => uid));
    // The list does not say which outputs were broadcast; only its filter tells.
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

  /**
   * Makes an output of a stored file, outside of every mint. The service decides whether it fits the project.
   * @throws PlanchetError `conflict` | `metadata-invalid` | `file-not-found` | what the token service says
   */
  async create(input: NewServiceOutput): Promise<{ uid: string }> {
    const { projectUid, sha256, subType, name, description, subTypeData } = input;
    await this.#requireServed(projectUid);
    const { api, items, files } = this.#deps;
    const { contentType, bytes } = await files.info(sha256);
    const metadata = protocolMetadata(
      checkedMetadata({ name, description }),
      subType,
      await items.collectionId(projectUid),
    );
    const uid = await api.createOutput({
      projectUid,
      contentType,
      pieces: files.pieces(sha256),
      bytes,
      metadata: subTypeData === undefined ? metadata : { ...metadata, subTypeData: checkedSubTypeData(subTypeData) },
    });
    return { uid };
  }

  /** @throws PlanchetError `conflict` (in a transaction or in a mint) | `not-found` */
  async update({ projectUid, uid, name }: { projectUid: string; uid: string; name: string }): Promise<void> {
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
  async remove({ projectUid, uid }: { projectUid: string; uid: string }): Promise<void> {
    await this.#requireFree(projectUid, uid);
    await this.#deps.api.deleteOutput(uid);
  }

  async #requireServed(projectUid: string): Promise<void> {
    if (await this.#deps.projects.isDirect(projectUid)) throw new PlanchetError('mint.project-not-served');
  }

  async #requireFree(projectUid: string, uid: string): Promise<RemoteOutput> {
    await this.#requireServed(projectUid);
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
  const at = Date.parse(createdAt ?? '');
  const text = (key: string): string => {
    const value = metadata?.[key];
    return typeof value === 'string' ? value.slice(0, 200).toWellFormed() : '';
  };
  return {
    uid,
    createdAt: Number.isNaN(at) ? null : at,
    name: text('name'),
    subType: text('subType'),
    contentType: offChainData?.contentType?.slice(0, 200) ?? '',
    state: txId != null ? 'on-chain' : transactionUid != null ? 'in-transaction' : 'unused',
    inMint,
  };
}
