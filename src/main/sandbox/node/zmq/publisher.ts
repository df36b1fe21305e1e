import { fromHex } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { type ZmqTopic, zmqTopics } from '../../../node-format/zmq-topics.ts';
import { messageOf, Publisher, pieceOf } from '../../../zmtp/index.ts';
import { conflicting } from '../consensus/validate.ts';
import { invalidTransaction } from '../mempool/invalid-transaction.ts';
import type { SandboxNode } from '../node.ts';
import type { ConnectedBlock, RemovedTransaction } from '../types.ts';

export interface ZmqPublisherOptions {
  readonly node: SandboxNode;
  /** `tcp://host:port`; an empty host means loopback, port 0 any free port. */
  readonly address: string;
}

/**
 * Publishes blocks and transactions like a node: three frames per message (topic, body, sequence number within the topic as 32 bits
 * little-endian). Hashes are 32 bytes in display order. Messages without a subscriber are counted but not built.
 */
export class ZmqPublisher {
  /** The bound address with its actual port. */
  readonly address: string;
  readonly #publisher: Publisher;
  readonly #stops: (() => void)[];
  readonly #sequences = new Map<ZmqTopic, number>();

  /** @throws PlanchetError `port-in-use` if another program uses the port, `bind-refused` if the address cannot be bound. */
  static async open({ node, address }: ZmqPublisherOptions): Promise<ZmqPublisher> {
    const [, name = '', port] = /^tcp:\/\/(.*):(\d+)$/.exec(address) ?? [];
    const host = name === '' ? '127.0.0.1' : name;
    const publisher = new Publisher({ topics: zmqTopics });
    try {
      const bound = await publisher.listen(host.replace(/^\[|\]$/g, ''), Number(port));
      return new ZmqPublisher(node, publisher, `tcp://${host}:${bound}`);
    } catch (error) {
      await publisher.close();
      throw bindFailure(error, address);
    }
  }

  private constructor(node: SandboxNode, publisher: Publisher, address: string) {
    this.#publisher = publisher;
    this.address = address;
    this.#stops = [
      node.onTransactions((transactions) => {
        for (const { txid, raw } of transactions) {
          this.#transaction(txid, raw, ['hashtx', 'rawtx']);
          this.#transaction(txid, raw, ['hashtx2', 'rawtx2']);
        }
      }),
      node.onTip((_, block) => this.#block(block)),
      node.onDisconnect(({ transactions }) => {
        for (const { txid, raw } of transactions) this.#transaction(txid, raw, ['hashtx', 'rawtx']);
      }),
      node.onRemoved((removed) => this.#removed(removed)),
      node.onRefused((refused) => this.#json('invalidtx', () => invalidTransaction(refused))),
    ];
  }

  /** Whether the topic has a subscriber. */
  isWanted(topic: ZmqTopic): boolean {
    return this.#publisher.isWanted(zmqTopics.indexOf(topic));
  }

  /** Sends pending messages for a short time at most, then frees the port. */
  async close(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#publisher.close();
  }

  #block(block: ConnectedBlock): void {
    this.#send('hashblock2', () => fromHex(block.hash));
    this.#send('rawblock2', block.raw);
    for (const { txid, raw, fromMempool } of block.transactions) {
      this.#transaction(txid, raw, ['hashtx', 'rawtx']);
      if (!fromMempool) {
        this.#transaction(txid, raw, ['hashtx2', 'rawtx2']);
        continue;
      }
      this.#json('removedfrommempoolblock', () => ({ reason: 'included-in-block', txid }));
    }
    // only the new tip, if several blocks are connected at once
    if (!block.newest) return;
    this.#send('hashblock', () => fromHex(block.hash));
    this.#send('rawblock', block.raw);
  }

  #removed({ txid, reason, collidedWith, blockHash }: RemovedTransaction): void {
    if (reason === 'reorg') {
      this.#json('removedfrommempoolblock', () => ({ reason, txid }));
      return;
    }
    this.#json('discardedfrommempool', () => ({
      txid,
      reason,
      collidedWith: collidedWith && conflicting(collidedWith),
      blockhash: blockHash,
    }));
  }

  #json(topic: ZmqTopic, body: () => unknown): void {
    this.#send(topic, () => new TextEncoder().encode(JSON.stringify(body())));
  }

  #transaction(txid: string, raw: Uint8Array, [hashTopic, rawTopic]: readonly [ZmqTopic, ZmqTopic]): void {
    this.#send(hashTopic, () => fromHex(txid));
    this.#send(rawTopic, () => raw);
  }

  #send(topic: ZmqTopic, body: () => Uint8Array): void {
    const number = this.#sequences.get(topic) ?? 0;
    this.#sequences.set(topic, (number + 1) % 0x1_0000_0000);
    if (!this.isWanted(topic)) return;
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(number);
    const { buffer, byteOffset, length } = body();
    const bodies = [Buffer.from(topic), Buffer.from(buffer, byteOffset, length), sequence];
    this.#publisher.publish(zmqTopics.indexOf(topic), messageOf(bodies).map(pieceOf));
  }
}

function bindFailure(error: unknown, address: string): PlanchetError {
  const code = (error as { code?: string }).code;
  if (code === 'EADDRINUSE') {
    return new PlanchetError('sandbox.zmq-port-in-use', { address }, { cause: error });
  }
  return new PlanchetError(
    'sandbox.zmq-listen-failed',
    { address, reason: (error as Error).message },
    { cause: error },
  );
}
