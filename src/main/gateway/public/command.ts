import type { Network } from '../../../contract/index.ts';
import type { RpcValue } from '../../node-format/json.ts';
import type { AddressNetwork } from '../../node-format/views.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { HeaderChain } from '../../ports/headers.ts';

/** The verified headers, with what each chain of them amounts to. */
export interface WorkedHeaders extends Pick<HeaderChain, 'at' | 'header' | 'tip' | 'isAgreed' | 'refresh'> {
  /** Work of the chain up to a height; undefined where that is not known. */
  workAt(height: number): Promise<bigint | undefined>;
}

/** What a command may ask. */
export interface PublicContext {
  readonly network: Network;
  readonly addresses: AddressNetwork;
  readonly headers: WorkedHeaders;
  /** Ends with the caller. */
  readonly chainData: ChainData;
}

/**
 * One command, answered from verified data as a node would.
 * @throws NodeRpcError with the node's code and text, PlanchetError where nobody can answer now
 */
type PublicCommand = (
  context: PublicContext,
  params: readonly unknown[],
) => RpcValue | undefined | Promise<RpcValue | undefined>;

export type PublicCommands = Readonly<Record<string, PublicCommand>>;
