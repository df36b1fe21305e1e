import { pino } from 'pino';
import { type BlockHeader, serializeHeader } from '../../chain/index.ts';
import { type ChainRules, rulesOf } from '../chain-data/headers/chain-rules.ts';
import { HeaderStore } from '../chain-data/headers/header-store.ts';
import { createNodeHeaders } from '../chain-data/node/node-headers.ts';
import type { Clock } from '../ports/clock.ts';
import type { NodeRpc } from '../ports/node.ts';

export interface VerifiedHeadersOptions {
  dataDir: string;
  clock: Clock;
  node: NodeRpc;
  /** Header of the node's first block. */
  first: BlockHeader;
  /** False for a network where only more work replaces a branch. */
  followsNode?: boolean;
}

/** The headers of a chain that a test makes, verified and stored as in the application. They are read when somebody asks for it. */
export function verifiedHeaders({
  dataDir,
  clock,
  node,
  first,
  followsNode = true,
}: VerifiedHeadersOptions): HeaderStore {
  const regtest = rulesOf('sandbox', 'regtest') as ChainRules;
  return new HeaderStore({
    network: 'sandbox',
    dataDir,
    rules: { ...regtest, genesis: serializeHeader(first), followsNode },
    sources: (signal) => [createNodeHeaders({ node }, signal)],
    tip: { onTip: () => () => undefined },
    clock,
    logger: pino({ level: 'silent' }),
  });
}
