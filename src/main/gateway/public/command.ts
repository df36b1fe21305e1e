import type { Network } from '../../../contract/index.ts';
import type { RpcValue } from '../../node-format/json.ts';
import type { RpcStream } from '../../node-format/json-stream.ts';
import type { AddressNetwork } from '../../node-format/views.ts';
import type { ChainData, ToldMempool } from '../../ports/chain-data.ts';
import type { HeaderLookUps, WorkedHeaders } from './header-look-ups.ts';

/** What a command may ask. */
export interface PublicContext {
  readonly network: Network;
  readonly addresses: AddressNetwork;
  readonly headers: Omit<WorkedHeaders, 'refresh'>;
  /** Reads headers that are not here. */
  readonly lookUps: HeaderLookUps;
  /** Its requests end when the client leaves. */
  readonly chainData: ChainData;
  /** Its requests end when the client leaves; undefined where no service is asked. */
  readonly mempool: { readonly [Name in keyof ToldMempool]: () => ReturnType<ToldMempool[Name]> } | undefined;
  /** Transactions that a block may have of which all bytes are read. */
  readonly mostTransactions: number;
  /** When a transaction of our own was made, in milliseconds since 1970; undefined for any other. */
  readonly ownSince: (txid: string) => Promise<number | undefined>;
}

type PublicValue = RpcValue | RpcStream | undefined;

/**
 * One command, answered from verified data as a node would; undefined where only a node can.
 * @throws NodeRpcError with the node's code and text, PlanchetError where nobody can answer now
 */
type PublicCommand = (context: PublicContext, params: readonly unknown[]) => PublicValue | Promise<PublicValue>;

export type PublicCommands = Readonly<Record<string, PublicCommand>>;
