import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { Sequencer } from '../../async/sequencer.ts';
import { asPlayed } from '../arc/played-status.ts';
import type { ArcTransaction } from '../arc/statuses.ts';
import type { Faults } from '../controls/faults.ts';
import { arcadeStatusOf } from './statuses.ts';

/** Events stored for clients that reconnect. */
const KEPT_EVENTS = 10_000;
/** Interval of the comments that keep a stream open. */
const KEEP_ALIVE_MS = 15_000;

interface ToldEvent {
  /** Unique; nanoseconds since 1970. */
  readonly id: bigint;
  readonly token: string;
  readonly txid: string;
  readonly data: string;
}

/** The event streams of Arcade (public-services.md 2.2). Each client receives the statuses of what it submitted with its token. */
export class ArcadeEvents {
  readonly #pathOf: (transaction: ArcTransaction) => Promise<string>;
  readonly #tokens = new Map<string, Set<string>>();
  readonly #streams = new Map<ServerResponse, string>();
  #kept: ToldEvent[] = [];
  #lastId = 0n;
  readonly #telling = new Sequencer();
  readonly #logger: Logger;
  readonly #faults: Pick<Faults, 'take'>;

  /** @param pathOf the Merkle path of a mined transaction in hex */
  constructor(pathOf: (transaction: ArcTransaction) => Promise<string>, logger: Logger, faults: Pick<Faults, 'take'>) {
    this.#pathOf = pathOf;
    this.#logger = logger;
    this.#faults = faults;
  }

  /** Sends the client with this token the statuses of these transactions from now on. @param token empty for no events */
  expect(txids: readonly string[], token: string): void {
    if (token === '') return;
    for (const txid of txids) {
      const tokens = this.#tokens.get(txid) ?? new Set();
      this.#tokens.set(txid, tokens.add(token));
    }
  }

  tell(changed: readonly ArcTransaction[]): void {
    const told = changed.filter(({ txid }) => this.#tokens.has(txid));
    for (const one of told)
      this.#telling
        .run(() => this.#tell(asPlayed(one, this.#faults, 'arcade')))
        .catch((error: unknown) => this.#logger.error({ err: error }, 'a state was not told over Arcade'));
  }

  async #tell(transaction: ArcTransaction): Promise<void> {
    const { txid, status, blockHash, blockHeight, changedAt } = transaction;
    const data = JSON.stringify({
      txid,
      txStatus: arcadeStatusOf(status),
      timestamp: new Date(changedAt).toISOString(),
      blockHash,
      blockHeight,
      merklePath: status === 'MINED' ? await this.#pathOf(transaction) : '',
    });
    for (const token of this.#tokens.get(txid) ?? []) {
      const now = BigInt(changedAt) * 1_000_000n;
      this.#lastId = now > this.#lastId ? now : this.#lastId + 1n;
      const event = { id: this.#lastId, token, txid, data };
      this.#kept.push(event);
      for (const [stream, wanted] of this.#streams) if (wanted === token) write(stream, event);
    }
    if (this.#kept.length > KEPT_EVENTS) this.#kept = this.#kept.slice(-KEPT_EVENTS / 2);
  }

  /**
   * Answers with a stream that begins with the events that the client missed.
   * @param lastId of the last event that it received; if empty, it gets the newest status of each of its transactions
   */
  open(stream: ServerResponse, token: string, lastId: string): void {
    stream.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    stream.write(': connected\n\n');
    if (/^\d{1,20}$/.test(lastId)) {
      const oldest = this.#kept[0]?.id;
      if (oldest === undefined || oldest > BigInt(lastId)) stream.write('event: gap\ndata: {}\n\n');
      for (const event of this.#kept) if (event.token === token && event.id > BigInt(lastId)) write(stream, event);
    } else {
      const own = this.#kept.filter((event) => event.token === token);
      for (const event of new Map(own.map((one) => [one.txid, one])).values()) write(stream, event);
    }
    const alive = setInterval(() => stream.write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
    this.#streams.set(stream, token);
    stream.once('close', () => {
      clearInterval(alive);
      this.#streams.delete(stream);
    });
  }

  close(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }
}

function write(stream: ServerResponse, { id, data }: ToldEvent): void {
  stream.write(`id: ${id}\nevent: status\ndata: ${data}\n\n`);
}
