import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import { fromHex, satoshis, serializeTx, toHex, txidOf } from '../../../../chain/index.ts';
import { zmqTopics } from '../../../node-format/zmq-topics.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { accepted, coinOf, spend } from '../test-support/spend.ts';
import { ZmqPublisher } from './publisher.ts';

let opened: TestNode;
let publisher: ZmqPublisher;
let subscriber: Subscriber;
beforeEach(async () => {
  opened = await openTestNode();
  publisher = await ZmqPublisher.open({ node: opened.node, address: 'tcp://127.0.0.1:0' });
  subscriber = new Subscriber({ receiveTimeout: 60_000 });
  subscriber.connect(publisher.address);
});
afterEach(async () => {
  subscriber.close();
  await publisher.close();
  await opened.remove();
});

async function receive(count: number): Promise<string[]> {
  const lines: string[] = [];
  while (lines.length < count) {
    const [topic, body, sequence, ...more] = await subscriber.receive();
    expect(more).toEqual([]);
    lines.push(`${topic} ${sequence?.readUInt32LE()} ${toHex(body ?? new Uint8Array())}`);
  }
  return lines;
}

/** A subscription reaches the publisher some time after it is made; blocks mined until then go unseen. */
async function subscribed(topic: string): Promise<void> {
  subscriber.subscribe(topic);
  const topics = zmqTopics.filter((name) => name.startsWith(topic));
  await expect.poll(() => topics.every((name) => publisher.isWanted(name)), { interval: 5 }).toBe(true);
}

const text = (value: string) => toHex(new TextEncoder().encode(value));

describe('the ZMQ publisher', () => {
  it('reports the port it bound', () => {
    expect(publisher.address).toMatch(/^tcp:\/\/127\.0\.0\.1:[1-9]\d+$/);
  });

  it('sends every topic in event order, each with its own sequence from 0', async () => {
    const { node } = opened;
    await subscribed('');
    const txid = await node.fund(lockingScriptOf(otherKey), satoshis(1_000));
    const raw = toHex((await node.transaction(txid))?.raw ?? new Uint8Array());
    expect(await receive(4)).toEqual([`hashtx 0 ${txid}`, `rawtx 0 ${raw}`, `hashtx2 0 ${txid}`, `rawtx2 0 ${raw}`]);
    const [hash = ''] = await node.mine(1);
    const block = toHex((await rawBlock(node.db, hash)) ?? new Uint8Array());
    const coinbase = await node.db
      .selectFrom('node_transactions')
      .select('txid')
      .where('height', '=', 121)
      .where('position', '=', 0)
      .executeTakeFirstOrThrow();
    const coinbaseRaw = toHex((await node.transaction(coinbase.txid))?.raw ?? new Uint8Array());
    expect(await receive(11)).toEqual([
      `hashblock2 0 ${hash}`,
      `rawblock2 0 ${block}`,
      `hashtx 1 ${coinbase.txid}`,
      `rawtx 1 ${coinbaseRaw}`,
      `hashtx2 1 ${coinbase.txid}`,
      `rawtx2 1 ${coinbaseRaw}`,
      `hashtx 2 ${txid}`,
      `rawtx 2 ${raw}`,
      `removedfrommempoolblock 0 ${text(`{"reason":"included-in-block","txid":"${txid}"}`)}`,
      `hashblock 0 ${hash}`,
      `rawblock 0 ${block}`,
    ]);
    expect(fromHex(hash)).toHaveLength(32);
  });

  it('reports a reorganisation: disconnected transactions, each new block, and only the last one as the tip', async () => {
    const { node } = opened;
    await subscribed('');
    const coin = await coinOf(node, walletKey);
    const lost = spend([coin], walletKey, [{ satoshis: 4_999_999_000, script: lockingScriptOf(otherKey) }]);
    const rival = spend([coin], walletKey, [{ satoshis: 4_999_998_000, script: lockingScriptOf(otherKey) }]);
    const lostId = await accepted(node, lost);
    await node.mine(1);
    const kept = await node.fund(lockingScriptOf(otherKey), satoshis(5_000));
    await node.mine(1);
    await receive(30);
    const hashes = await node.reorg(2, { transactions: [serializeTx(rival)] });
    const lines = (await receive(33)).map((line) => line.split(' ') as [string, string, string]);
    const of = (topic: string) => lines.filter(([name]) => name === topic).map(([, , body]) => body);
    expect(of('hashblock2')).toEqual(hashes);
    expect(of('hashblock')).toEqual(hashes.slice(-1));
    expect(of('rawblock')).toHaveLength(1);
    // the newer block is taken off first
    expect(of('hashtx').slice(1, 4)).toContain(kept);
    expect(of('hashtx').slice(0, 4)).toContain(lostId);
    const collision = {
      txid: lostId,
      reason: 'collision-in-block-tx',
      collidedWith: { txid: txidOf(rival), size: serializeTx(rival).length, hex: toHex(serializeTx(rival)) },
      blockhash: hashes[0],
    };
    expect(of('discardedfrommempool')).toEqual([text(JSON.stringify(collision))]);
    for (const topic of new Set(lines.map(([name]) => name))) {
      const numbers = lines.filter(([name]) => name === topic).map(([, number]) => Number(number));
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] as number) + index));
    }
  });

  it('reports refused transactions with reason and conflicts', async () => {
    const { node } = opened;
    await subscribed('invalidtx');
    const coin = await coinOf(node, walletKey);
    const first = spend([coin], walletKey, [{ satoshis: 4_999_999_000, script: lockingScriptOf(otherKey) }]);
    const second = serializeTx(
      spend([coin], walletKey, [{ satoshis: 4_999_998_000, script: lockingScriptOf(otherKey) }]),
    );
    await accepted(node, first);
    await node.submit(second);
    const [line = ''] = await receive(1);
    const [, , body = ''] = line.split(' ');
    expect(Object.entries(JSON.parse(Buffer.from(body, 'hex').toString()) as object)).toEqual(
      Object.entries({
        fromBlock: false,
        source: 'rpc',
        txid: txidOf(second),
        size: second.length,
        hex: toHex(second),
        isInvalid: true,
        isValidationError: false,
        isMissingInputs: false,
        isDoubleSpendDetected: false,
        isMempoolConflictDetected: true,
        isNonFinal: false,
        isValidationTimeoutExceeded: false,
        isStandardTx: true,
        rejectionCode: 258,
        rejectionReason: 'txn-mempool-conflict',
        collidedWith: [{ txid: txidOf(first), size: serializeTx(first).length, hex: toHex(serializeTx(first)) }],
        rejectionTime: '2026-11-21T12:00:00Z',
      }),
    );
  });

  it('sends all matching topics to a subscriber of a common prefix', async () => {
    await subscribed('hash');
    const [hash] = await opened.node.mine(1);
    const lines = await receive(4);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['hashblock2', 'hashtx', 'hashtx2', 'hashblock']);
    expect(lines[0]).toBe(`hashblock2 0 ${hash}`);
  });

  it('reports expired transactions, and those that conflict with a block', async () => {
    const { node, clock } = opened;
    await subscribed('discardedfrommempool');
    await subscribed('removedfrommempoolblock');
    const late = await node.fund(lockingScriptOf(otherKey), satoshis(1_000));
    clock.advance(15 * 24 * 3_600_000);
    await node.expire();
    expect(await receive(1)).toEqual([`discardedfrommempool 0 ${text(`{"txid":"${late}","reason":"expired"}`)}`]);
    const coinbase = await coinOf(node, walletKey);
    const payment = { satoshis: coinbase.satoshis - 1_000, script: lockingScriptOf(otherKey) };
    const lost = await accepted(node, spend([coinbase], walletKey, [payment]));
    await node.invalidateBlock((await node.transaction(coinbase.txid))?.blockHash ?? '');
    expect(await receive(1)).toEqual([`removedfrommempoolblock 0 ${text(`{"reason":"reorg","txid":"${lost}"}`)}`]);
  });

  it('loses nothing of a burst', async () => {
    await subscribed('hashblock');
    const hashes = await opened.node.mine(200);
    const lines = (await receive(400)).filter((line) => line.startsWith('hashblock '));
    expect(lines).toEqual(hashes.map((hash, n) => `hashblock ${n} ${hash}`));
  });

  it('reports a port in use and an address of another machine', async () => {
    const again = (address: string) => ZmqPublisher.open({ node: opened.node, address });
    await expect(again(publisher.address)).rejects.toMatchObject({ code: 'port-in-use' });
    await expect(again('tcp://192.0.2.1:28339')).rejects.toMatchObject({ code: 'bind-refused' });
  });

  it('frees the port on close', async () => {
    for (let round = 0; round < 20; round++) {
      await publisher.close();
      publisher = await ZmqPublisher.open({ node: opened.node, address: publisher.address });
    }
    subscriber.close();
    subscriber = new Subscriber({ receiveTimeout: 60_000 });
    subscriber.connect(publisher.address);
    await subscribed('hashblock2');
    const [hash] = await opened.node.mine(1);
    expect(await receive(1)).toEqual([`hashblock2 0 ${hash}`]);
  });
});
