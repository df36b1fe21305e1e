import { type RequestInit, Response, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { parseTx, txidOf } from '../../../../chain/index.ts';
import { reasonText } from '../../../../contract/index.ts';
import { systemClock } from '../../../clock.ts';
import type { ChainData } from '../../../ports/chain-data.ts';
import type { ChainHeader, HeaderChain } from '../../../ports/headers.ts';
import { blockAtHeight } from '../../../sandbox/node/storage/chain-store.ts';
import { spend } from '../../../sandbox/test-support/merchant.ts';
import { TestSandbox } from '../../../sandbox/test-support/open-sandbox.ts';
import { bananaBlocksTransactions } from '../../sources/bananablocks/transactions.ts';
import { createSourceClient, type SourceClient } from '../../sources/http/source-client.ts';
import type { HistorySource, TransactionSource } from '../../sources/transaction-source.ts';
import { whatsOnChainTransactions } from '../../sources/whatsonchain/transactions.ts';
import { createPublicChainData } from '../public-chain-data.ts';

export const WOC = '/woc/v1/bsv/test';
const BANANA = '/bananablocks/api/v1';
/** The id of no transaction and no block. */
export const nowhere = 'ab'.repeat(32);

export type Lie = (path: string, honest: Response) => Promise<Response> | Response;

export const away: Lie = () => new Response('busy', { status: 503 });
export const unaware: Lie = () => new Response('Not Found', { status: 404 });
export const saying =
  (part: string, body: string | Uint8Array, type = 'application/json', status = 200): Lie =>
  (path, honest) =>
    path.includes(part) ? new Response(body, { status, headers: { 'content-type': type } }) : honest;

/** What spends the first output of a transaction. */
export function spendOf({ txid, raw }: { txid: string; raw: Uint8Array }): Uint8Array {
  return spend({ txid, vout: 0, satoshis: Number(parseTx(raw).outputs[0]?.satoshis) });
}

/** The sandbox's chain as verified headers. */
export class SandboxHeaders implements HeaderChain {
  readonly #sandbox: TestSandbox;
  #headers: ChainHeader[] = [];
  isAgreed = true;

  constructor(sandbox: TestSandbox) {
    this.#sandbox = sandbox;
  }

  get tip(): ChainHeader | null {
    return this.#headers.at(-1) ?? null;
  }

  at(height: number): ChainHeader | undefined {
    return this.#headers[height];
  }

  header(hash: string): ChainHeader | undefined {
    return this.#headers.find((one) => one.hash === hash);
  }

  isActive(hash: string): boolean {
    return this.header(hash) !== undefined;
  }

  onChange(): () => void {
    return () => undefined;
  }

  async refresh(): Promise<void> {
    const { node } = this.#sandbox.service;
    const headers: ChainHeader[] = [];
    for (let height = 0; height <= node.tip().height; height++) {
      const row = await blockAtHeight(node.db, height);
      if (row !== undefined) headers.push({ hash: row.hash, height, header: row.header });
    }
    this.#headers = headers;
  }
}

/** The sandbox's chain as two public services tell it, each of which may lie, anew for each test of a file. */
export class TwoOperators {
  /** What each operator makes of its honest answers. */
  readonly lies: { woc: Lie | undefined; banana: Lie | undefined } = { woc: undefined, banana: undefined };
  /** Paths that were asked for, by operator. */
  readonly asked: { woc: string[]; banana: string[] } = { woc: [], banana: [] };
  /** What was sent to operators. */
  readonly bodies: { who: 'woc' | 'banana'; body: string }[] = [];
  /** Answers that failed a check, with who gave them. */
  readonly invalid: string[] = [];
  sources: TransactionSource[] = [];
  finders: readonly HistorySource[] = [];
  /** Milliseconds since 1970. */
  now = 0;
  #opened: { sandbox: TestSandbox; headers: SandboxHeaders; chain: ChainData } | undefined;

  constructor() {
    let sandbox: TestSandbox;
    beforeAll(async () => {
      sandbox = await TestSandbox.open();
    });
    afterAll(() => sandbox.remove());
    beforeEach(async () => {
      const headers = new SandboxHeaders(sandbox);
      await headers.refresh();
      Object.assign(this.lies, { woc: undefined, banana: undefined });
      Object.assign(this.asked, { woc: [], banana: [] });
      this.invalid.length = 0;
      this.finders = [];
      this.now = 1_790_000_000_000;
      this.sources = [
        whatsOnChainTransactions(this.#client('TAAL', sandbox.root + WOC, 'woc')),
        bananaBlocksTransactions(this.#client('GorillaPool', sandbox.root + BANANA, 'banana')),
      ];
      const chain = createPublicChainData({
        headers,
        sources: () => this.sources,
        finders: () => this.finders,
        clock: { now: () => this.now },
        network: 'sandbox',
        onInvalid: ({ name }, reason) => void this.invalid.push(`${name}: ${reasonText(reason)}`),
      });
      this.#opened = { sandbox, headers, chain };
    });
  }

  get opened() {
    if (this.#opened === undefined) throw new Error('no test has begun');
    return this.#opened;
  }

  readonly only = (name: string): void => {
    this.sources = this.sources.filter((source) => source.name === name);
  };

  readonly send = async (): Promise<{ txid: string; raw: Uint8Array }> => {
    const { sandbox } = this.opened;
    const raw = spend(await sandbox.coin());
    await sandbox.service.node.submit(raw);
    return { txid: txidOf(raw), raw };
  };

  readonly sendAndMine = async (): Promise<{ txid: string; raw: Uint8Array; height: number }> => {
    const { sandbox, headers } = this.opened;
    const sent = await this.send();
    await sandbox.service.mine({ blocks: 1 });
    await headers.refresh();
    return { ...sent, height: sandbox.service.node.tip().height };
  };

  #client(operator: string, baseUrl: string, who: 'woc' | 'banana'): SourceClient {
    const fetch = (async (url: string, options: RequestInit) => {
      if (typeof options.body === 'string') this.bodies.push({ who, body: options.body });
      const path = url.slice(baseUrl.length);
      this.asked[who].push(path);
      const honest = await undiciFetch(url, options);
      return (await this.lies[who]?.(path, honest)) ?? honest;
    }) as typeof undiciFetch;
    return createSourceClient({ operator, baseUrl, clock: systemClock, minIntervalMs: 0, fetch });
  }
}
