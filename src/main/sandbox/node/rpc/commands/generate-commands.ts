import { ChainError, decodeAddress, p2pkhScript } from '../../../../../chain/index.ts';
import { asInteger, asString, failure, isNull } from '../../../../node-format/params.ts';
import type { SandboxNode } from '../../node.ts';
import { requireBlock } from './chain-commands.ts';
import type { Commands } from './command.ts';

/** More in one call would block everything else for minutes. */
const MOST_BLOCKS = 10_000;

function blockCount(value: unknown): number {
  const count = asInteger(value);
  if (count < 0 || count > MOST_BLOCKS) {
    throw failure('parameter', `Invalid number of blocks: should be between 0 and ${MOST_BLOCKS}`);
  }
  return count;
}

/** The node counts attempts. Here every block takes about two, so the value is only validated. */
function checkMaxTries(value: unknown): void {
  if (!isNull(value)) asInteger(value);
}

function addressScript(value: unknown): Uint8Array {
  try {
    const { network, pubKeyHash } = decodeAddress(asString(value));
    if (network === 'test') return p2pkhScript(pubKeyHash);
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
  }
  throw failure('notFound', 'Error: Invalid address');
}

export const generateCommands: Commands = {
  generate: {
    run: (node, [nblocks, maxtries]) => {
      const count = blockCount(nblocks);
      checkMaxTries(maxtries);
      return node.mine(count);
    },
  },
  generatetoaddress: {
    run: (node, [nblocks, address, maxtries]) => {
      const count = blockCount(nblocks);
      checkMaxTries(maxtries);
      return node.mine(count, addressScript(address));
    },
  },
  invalidateblock: { run: (node, [hash]) => change(node, hash, 'invalidateBlock') },
  reconsiderblock: { run: (node, [hash]) => change(node, hash, 'reconsiderBlock') },
};

async function change(node: SandboxNode, hash: unknown, how: 'invalidateBlock' | 'reconsiderBlock'): Promise<null> {
  const row = await requireBlock(node, hash);
  if (await node[how](row.hash)) return null;
  throw failure('database', 'The first block of the chain always stands');
}
