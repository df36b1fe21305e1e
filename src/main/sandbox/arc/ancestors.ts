import { type Beef, parseHeader, parseTx, pathInBump } from '../../../chain/index.ts';
import { pause } from '../../pause.ts';
import type { SandboxNode } from '../node/node.ts';
import { blockAtHeight } from '../node/storage/chain-store.ts';
import type { HandedIn } from './forms.ts';
import { ArcProblem } from './problems.ts';

/**
 * Checks the ancestors of a BEEF: every path leads to a block of the chain, and every input to a transaction of the BEEF or one that the
 * node knows.
 * @returns those that are not mined, parents first
 * @throws ArcProblem 467, 469, 475
 */
export async function unminedAncestors(node: SandboxNode, subject: string, beef: Beef): Promise<HandedIn[]> {
  for (const { height, root } of beef.bumps) {
    const block = await blockAtHeight(node.db, height);
    if (block === undefined || parseHeader(block.header).merkleRoot !== root) {
      throw new ArcProblem(469, `no block at height ${height} has the Merkle root ${root}`, subject);
    }
  }
  const known = new Set<string>();
  const unmined: HandedIn[] = [];
  for (const { txid, raw, bump } of beef.transactions) {
    await pause();
    if (bump !== null && pathInBump(bump, txid) === undefined) {
      throw new ArcProblem(475, `transaction ${txid} is not in its BUMP`, subject);
    }
    const isKnown = bump !== null || (raw === null && (await node.transaction(txid)) !== undefined);
    if (!isKnown) {
      if (raw === null) throw new ArcProblem(467, `transaction ${txid} is missing`, subject);
      const tx = parseTx(raw, true);
      const orphaned = tx.inputs.find((input) => !known.has(input.txid));
      if (orphaned) throw new ArcProblem(467, `ancestor ${orphaned.txid} of ${txid} is missing`, subject);
      if (txid !== subject) unmined.push({ txid, raw, tx });
    }
    known.add(txid);
  }
  return unmined;
}
