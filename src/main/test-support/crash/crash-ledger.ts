import { fromHex, parseBlock, parseScript } from '../../../chain/index.ts';
import type { Endpoints } from '../../ports/settings.ts';

/** Requests at once where documents are asked for one by one. */
const ASKED_AT_ONCE = 8;
/** Clocks of the writers and ours are one; what was sent then is not older than this (ms) before it. */
const PAGE_MARGIN_MS = 1_000;
const BLOCKS_EVERY_MS = 100;
/** A node's answer, with HTTP 500, where the writers' own calls fill its work queue. */
const WORK_QUEUE_FULL = 'Work queue depth exceeded';
/** How long the queue may take to come to its end after the last kill. */
const SETTLE_MS = 180_000;

/** What was sent to writers that are killed, what they answered, and what the chain holds. Each document is a number of its own. */
export class CrashLedger {
  readonly #endpoints: Endpoints;
  readonly #headers: Record<string, string>;
  #next = 0;
  readonly #unanswered: string[] = [];
  /** Names of acknowledged documents by their text. */
  readonly #acknowledged = new Map<string, string>();
  /** Acknowledged since they were last looked for, and from when on the oldest of them can have been stored. */
  #sinceCheck: string[] = [];
  #sentSince = Date.now();
  readonly #written = new Map<string, number>();
  readonly #lost = new Set<string>();
  readonly #dead: string[] = [];
  #repeated = 0;
  #height = 0;

  /** @param apiKey of all writers */
  constructor(endpoints: Endpoints, apiKey: string) {
    this.#endpoints = endpoints;
    this.#headers = { authorization: `Bearer ${apiKey}` };
  }

  /** Documents a writer answered for. */
  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  /** Documents whose answer was lost and that were not sent again yet. */
  get unanswered(): number {
    return this.#unanswered.length;
  }

  /** Documents of lost answers that were sent again under their Idempotency-Key. */
  get repeated(): number {
    return this.#repeated;
  }

  /** Documents in blocks. */
  get onChain(): number {
    return [...this.#written.values()].reduce((sum, times) => sum + times, 0);
  }

  /** Acknowledged documents that a writer did not know after a restart. */
  get lost(): string[] {
    return [...this.#lost];
  }

  /** Acknowledged documents that no block holds. */
  get missing(): string[] {
    return [...this.#acknowledged.keys()].filter((text) => !this.#written.has(text));
  }

  /** Documents more than once in blocks. */
  get twice(): string[] {
    return [...this.#written].flatMap(([text, times]) => (times > 1 ? [text] : []));
  }

  /** Documents that were given up, with their reasons. */
  get dead(): string[] {
    return [...this.#dead];
  }

  /**
   * Writes a new document, or once more one whose answer was lost; half of them wait until they are sent.
   * @returns false where no answer came
   * @throws Error where a writer refuses a document
   */
  async writeNext(url: string): Promise<boolean> {
    const again = this.#unanswered.shift();
    if (again !== undefined) this.#repeated += 1;
    const text = again ?? `{"document":${++this.#next}}`;
    const wait = Math.random() < 0.5 ? 'accepted' : 'submitted';
    try {
      const response = await fetch(`${url}/api/v1/write?wait=${wait}`, {
        method: 'POST',
        headers: { ...this.#headers, 'content-type': 'application/json', 'idempotency-key': text.replace(/\D/g, '') },
        body: text,
      });
      const answer = await response.text();
      // 500: the database's server cut the connection of a writer that stood still inside a transaction. 408: one that stood still so
      // long that the request was late when it read it. Both say that nothing was accepted: the document is sent again.
      if (response.status === 500 || response.status === 408) {
        this.#unanswered.push(text);
        return true;
      }
      if (response.status !== 201 && response.status !== 202) throw new Refused(`${response.status}: ${answer}`);
      this.#acknowledged.set(text, response.headers.get('location') ?? '');
      this.#sinceCheck.push(text);
      return true;
    } catch (error) {
      if (error instanceof Refused) throw error;
      this.#unanswered.push(text);
      return false;
    }
  }

  /** Every document acknowledged since the last time is in the journal: on its newest pages, or found by its own name. */
  async checkKept(url: string): Promise<void> {
    const texts = this.#sinceCheck;
    const since = this.#sentSince;
    this.#sinceCheck = [];
    this.#sentSince = Date.now();
    const listed = await this.#listedSince(url, since - PAGE_MARGIN_MS);
    const others = texts.filter((text) => !listed.has(nameIn(this.#acknowledged.get(text))));
    const check = async (): Promise<void> => {
      for (let text = others.pop(); text !== undefined; text = others.pop()) {
        const response = await fetch(new URL(this.#acknowledged.get(text) ?? '', url), { headers: this.#headers });
        await response.arrayBuffer();
        if (response.status !== 200) this.#lost.add(text);
      }
    };
    await Promise.all(Array.from({ length: ASKED_AT_ONCE }, check));
  }

  /** Notes documents that were given up: at most a page of them. */
  async checkDead(url: string): Promise<void> {
    const response = await fetch(`${url}/api/v1/writes?state=dead&limit=1000`, { headers: this.#headers });
    const { documents } = (await response.json()) as { documents: { id: string }[] };
    for (const document of documents) this.#dead.push(JSON.stringify(document));
  }

  /** Looks through new blocks as they come, until it is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#readBlocks();
      await sleep(BLOCKS_EVERY_MS);
    }
  }

  /** Waits until every acknowledged document is in a block; then a second more, in which nothing may come. */
  async settle(): Promise<void> {
    for (const end = performance.now() + SETTLE_MS; performance.now() < end; await sleep(BLOCKS_EVERY_MS)) {
      await this.#readBlocks();
      if (this.missing.length === 0) break;
    }
    await sleep(1_000);
    await this.#readBlocks();
  }

  async #listedSince(url: string, since: number): Promise<Set<string>> {
    const names = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = `limit=1000&order=asc&since=${since}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const response = await fetch(`${url}/api/v1/writes?${query}`, { headers: this.#headers });
      const page = (await response.json()) as { documents: { id: string }[]; next: string | null };
      for (const { id } of page.documents) names.add(id);
      cursor = page.next;
    }
    return names;
  }

  async #readBlocks(): Promise<void> {
    const tip = await this.#rpc<number>('getblockcount', []);
    while (this.#height < tip) {
      const hash = await this.#rpc<string>('getblockhash', [this.#height + 1]);
      const block = parseBlock(fromHex(await this.#rpc<string>('getblock', [hash, 0])));
      this.#height += 1;
      for (const { script } of block.transactions.flatMap(({ outputs }) => outputs)) {
        const text = Buffer.from(parseScript(script).chunks.at(-1)?.data ?? []).toString('utf8');
        if (text.startsWith('{"document":')) this.#written.set(text, (this.#written.get(text) ?? 0) + 1);
      }
    }
  }

  async #rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
    const { username, password, origin, pathname } = new URL(this.#endpoints.bitcoinRpcUrl);
    const response = await fetch(`${origin}${pathname}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const text = await response.text();
    if (text === WORK_QUEUE_FULL) {
      await sleep(BLOCKS_EVERY_MS);
      return this.#rpc(method, params);
    }
    const { result, error } = JSON.parse(text) as { result: T; error: unknown };
    if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

class Refused extends Error {}

function nameIn(location = ''): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
