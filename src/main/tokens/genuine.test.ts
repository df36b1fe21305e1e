import { expect, it } from 'vitest';
import { PlanchetError } from '../../contract/index.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { NodeRpcError } from '../ports/node.ts';
import { ChainReader } from './chain-reader.ts';
import { traceThrough, whyNotGenuine } from './genuine.ts';

const outpoint = { txid: 'ab'.repeat(32), vout: 0 };
const readerThat = (fail: () => unknown) =>
  new ChainReader(createNodeChainData({ call: () => Promise.reject(fail()) }));

it('the check of a token reports a failing node as such, not as a broken history', async () => {
  const unreachable = new PlanchetError({
    code: 'upstream-unreachable',
    message: 'The node cannot be reached.',
    hint: 'Start it.',
  });
  const reader = readerThat(() => unreachable);
  await expect(traceThrough(reader, outpoint)).rejects.toBe(unreachable);
  await expect(whyNotGenuine(outpoint, reader)).rejects.toBe(unreachable);
});

it('the check of a token reports a history that the node does not have as such, not as a broken one', async () => {
  const reader = readerThat(() => new NodeRpcError(-5, 'No such transaction'));
  const unknown = { id: 'token.transaction-unknown', values: { txid: outpoint.txid } };
  await expect(traceThrough(reader, outpoint)).rejects.toMatchObject(unknown);
  await expect(whyNotGenuine(outpoint, reader)).rejects.toMatchObject(unknown);
});

it('the check of a token reports a node that is still starting as such, not as a broken history', async () => {
  const reader = readerThat(() => new NodeRpcError(-28, 'Loading block index'));
  await expect(whyNotGenuine(outpoint, reader)).rejects.toMatchObject({ code: 'upstream-error' });
  await expect(reader.block(outpoint.txid)).rejects.toMatchObject({ code: 'upstream-error' });
});
