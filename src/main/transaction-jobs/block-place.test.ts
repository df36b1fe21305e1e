import { describe, expect, it } from 'vitest';
import type { NodeRpc } from '../ports/node.ts';
import { mainBlock } from './block-place.ts';

const hash = (digit: string): string => digit.repeat(64);

describe('the place of a block', () => {
  it('is identified by the hash at its height, not by its confirmations', async () => {
    // as a node that counts confirmations for the blocks of dead branches too
    const node: NodeRpc = {
      call: <T>(method: string) =>
        Promise.resolve((method === 'getblockhash' ? hash('a') : { height: 7, confirmations: 3 }) as T),
    };
    expect(await mainBlock(node, hash('a'))).toEqual({ hash: hash('a'), height: 7 });
    expect(await mainBlock(node, hash('b'))).toBeUndefined();
  });
});
