import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { XPublisher } from 'zeromq';
import { fromHex, toHex } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { pause } from '../../../pause.ts';
import { invalidTransaction } from '../mempool/invalid-transaction.ts';
import type { SandboxNode } from '../node.ts';
import type { ConnectedBlock, RemovedTransaction } from '../types.ts';

export interface ZmqPublisherOptions {
  readonly node: SandboxNode;
  readonly logger: Logger;
  /** `tcp://host:port`; an empty host means loopback, port 0 any free port. */
  readonly address: string;
}

/** Maximum queued messages per subscriber; further ones are dropped. */
const HIGH_WATER_MARK = 100_000;
const LINGER_MS = 200;
const LONGEST_CLOSE_MS = 1_000;
const LOOK_AGAIN_MS = 5;

/**
 * Publishes blocks and transactions like a node: three frames per message (topic, body, sequence number within the topic as 32 bits
 * little-endian). Hashes are 32 bytes in display order. Messages without a subscriber are counted but not built.
 */
export class ZmqPublisher {
  /** The bound address with its actual port. */
  readonly address: string;
  readonly #socket: XPublisher;
  readonly #logger: Logger;
  readonly #stops: (() => void)[];
  readonly #sequences = new Map<string, number>();
  /** Subscribed topic prefixes. */
  readonly #subscribed = new Set<string>();
  #waiting: [topic: string, body: Uint8Array, sequence: Uint8Array][] = [];
  #draining: Promise<void> | undefined;
  readonly #reading: Promise<void>;

  /** @throws PlanchetError `port-in-use` if another program uses the port, `bind-refused` if the address cannot be bound. */
  static async open(options: ZmqPublisherOptions): Promise<ZmqPublisher> {
    const socket = new XPublisher({ sendHighWaterMark: HIGH_WATER_MARK, linger: LINGER_MS });
    const wanted = options.address.replace(/^tcp:\/\/:/, 'tcp://127.0.0.1:').replace(/:0$/, ':*');
    try {
      await socket.bind(wanted);
    } catch (error) {
      socket.close();
      throw bindFailure(error, options.address);
    }
    return new ZmqPublisher(options, socket, socket.lastEndpoint ?? options.address);
  }

  private constructor({ node, logger }: ZmqPublisherOptions, socket: XPublisher, address: string) {
    this.#socket = socket;
    this.#logger = logger;
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
    this.#reading = this.#followSubscriptions().catch((error: unknown) => {
      this.#logger.error({ err: error }, 'the ZMQ subscriptions cannot be read');
    });
  }

  /** The socket reports the first subscription of a prefix with a leading 1, and the last unsubscription with a leading 0. */
  async #followSubscriptions(): Promise<void> {
    for await (const [message] of this.#socket) {
      const beginning = message?.subarray(1).toString('latin1') ?? '';
      if (message?.[0] === 1) this.#subscribed.add(beginning);
      else if (message?.[0] === 0) this.#subscribed.delete(beginning);
    }
  }

  /** Whether there is a subscription for exactly this prefix. */
  hasSubscription(beginning: string): boolean {
    return this.#subscribed.has(beginning);
  }

  #isWanted(topic: string): boolean {
    for (const beginning of this.#subscribed) if (topic.startsWith(beginning)) return true;
    return false;
  }

  /** Sends queued messages and frees the port. */
  async close(): Promise<void> {
    if (this.#socket.closed) return;
    for (const stop of this.#stops) stop();
    await this.#draining;
    // Not unbound first: the library does that on another thread, which must not race with reading subscriptions.
    this.#socket.close();
    await this.#reading;
    await untilFree(this.address);
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
      collidedWith: collidedWith && {
        txid: collidedWith.txid,
        size: collidedWith.raw.length,
        hex: toHex(collidedWith.raw),
      },
      blockhash: blockHash,
    }));
  }

  #json(topic: string, body: () => unknown): void {
    this.#send(topic, () => new TextEncoder().encode(JSON.stringify(body())));
  }

  #transaction(txid: string, raw: Uint8Array, [hashTopic, rawTopic]: readonly [string, string]): void {
    this.#send(hashTopic, () => fromHex(txid));
    this.#send(rawTopic, () => raw);
  }

  #send(topic: string, body: () => Uint8Array): void {
    const number = this.#sequences.get(topic) ?? 0;
    this.#sequences.set(topic, (number + 1) % 0x1_0000_0000);
    if (!this.#isWanted(topic)) return;
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(number);
    this.#waiting.push([topic, body(), sequence]);
    this.#draining ??= this.#drain();
  }

  /** Sends sequentially: the socket accepts a message only after the previous one is queued. */
  async #drain(): Promise<void> {
    for (let at = 0; at < this.#waiting.length; at++) {
      await pause();
      const message = this.#waiting[at] as [string, Uint8Array, Uint8Array];
      try {
        await this.#socket.send(message);
      } catch (error) {
        this.#logger.error({ err: error, topic: message[0] }, 'a ZMQ message could not be sent');
      }
    }
    this.#waiting = [];
    this.#draining = undefined;
  }
}

/** The library frees the port of a closed socket asynchronously, on another thread. */
async function untilFree(address: string): Promise<void> {
  const { hostname, port } = new URL(address.replace('tcp:', 'http:'));
  const host = hostname.replace(/^\[|\]$/g, '');
  const end = performance.now() + LONGEST_CLOSE_MS;
  while (performance.now() < end) {
    const probe = createServer();
    const free = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(Number(port), host, () => resolve(true));
    });
    if (free) {
      await new Promise((resolve) => probe.close(resolve));
      return;
    }
    await setTimeout(LOOK_AGAIN_MS);
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
