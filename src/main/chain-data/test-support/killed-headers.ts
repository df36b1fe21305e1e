import { pino } from 'pino';
import { concatBytes } from '../../../chain/index.ts';
import { HandClock } from '../../gateway/test-support/hand-clock.ts';
import type { ChainRules } from '../headers/chain-rules.ts';
import type { HeaderSource } from '../headers/header-source.ts';
import { HeaderStore } from '../headers/header-store.ts';
import { FakeNode, regtest, TIME } from './header-node.ts';

/** Height of the block that the program knows, and how many there are above it. */
export const CHECKPOINT = 3_000;
const ABOVE = 2_000;
/** How deep the chain is reorganised: less than what is checked at each start, and more. */
const DEPTHS = [30, 1_500] as const;
/** Headers that the source shows at a time. */
const BATCH = 60;

/** The chain that everybody of this test knows. @param turn how often it was reorganised; each time it has one block more */
export function chainAfter(turn: number): FakeNode {
  const node = new FakeNode().mine(CHECKPOINT + ABOVE);
  for (let n = 0; n < turn; n++) {
    const depth = DEPTHS[n % DEPTHS.length] as number;
    node.unmine(depth).mine(depth + 1);
  }
  return node;
}

/** What a node has, a few headers at a time. @param onRead called before headers are shown */
export function listedHeaders({ height, hashes, headers }: FakeNode, onRead: () => void): HeaderSource {
  return {
    name: 'a',
    operator: 'a',
    height: async () => height,
    hashAt: async (at) => hashes[at] as string,
    read: async (_, first, last) => {
      onRead();
      return concatBytes(...headers.slice(first, Math.min(last + 1, first + BATCH)));
    },
  };
}

/** @param hash of the block that the program knows. @param source left out where nobody answers */
export function openHeaders(dataDir: string, hash: string, source: HeaderSource = away): HeaderStore {
  const rules: ChainRules = { ...regtest, checkpoints: [{ height: CHECKPOINT, hash, work: 1_000n }] };
  const clock = new HandClock();
  clock.time = (TIME + 1e9) * 1_000;
  const logger = pino({ enabled: false });
  const tip = { onTip: () => () => undefined };
  return new HeaderStore({ network: 'sandbox', dataDir, rules, sources: () => [source], tip, clock, logger });
}

const refuse = async (): Promise<never> => {
  throw new Error('away');
};
const away: HeaderSource = { name: 'a', operator: 'a', height: refuse, hashAt: refuse, read: refuse };
