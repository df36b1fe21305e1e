import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect } from 'vitest';
import type { Network } from '../../../contract/index.ts';
import type { HeadersChange } from '../../ports/headers.ts';
import type { ChainRules } from '../headers/chain-rules.ts';
import { HeaderStore } from '../headers/header-store.ts';
import { createNodeHeaders } from '../node/node-headers.ts';
import { FakeNode, TIME } from './header-node.ts';

/** The headers of a played node in a folder, anew for each test of a file. */
export class HeadersOfTest {
  dataDir = '';
  node = new FakeNode();
  store!: HeaderStore;
  /** Tells the store of another tip; undefined while it does not listen. */
  onTip: (() => void) | undefined;
  /** What the clock was asked to run later. */
  later: (() => void) | undefined;
  /** Fork and tip of each change. */
  readonly changes: [number, number][] = [];

  constructor() {
    beforeEach(() => {
      this.dataDir = mkdtempSync(join(tmpdir(), 'planchet-headers-'));
      this.node = new FakeNode();
      this.store = this.open();
      this.changes.length = 0;
    });
    afterEach(async () => {
      await this.store.close();
      rmSync(this.dataDir, { recursive: true, force: true });
    });
  }

  open(options: { network?: Network; rest?: boolean; batches?: boolean; rules?: ChainRules } = {}): HeaderStore {
    const { network = 'sandbox', rest = true, batches = false, rules } = options;
    const opened = new HeaderStore({
      network,
      dataDir: this.dataDir,
      ...(rules && { rules }),
      sources: (signal) => [
        createNodeHeaders(
          {
            node: { call: (method, params) => this.node.call(method, params) },
            ...(batches && { callAll: this.node.callAll }),
            ...(rest && { readRest: (path: string) => this.node.readRest(path) }),
          },
          signal,
        ),
      ],
      tip: {
        onTip: (listener) => {
          this.onTip = listener;
          return () => {
            this.onTip = undefined;
          };
        },
      },
      clock: { now: () => (TIME + 1e9) * 1_000, after: this.#after },
      logger: pino({ enabled: false }),
    });
    opened.onChange(({ fork, tip }: HeadersChange) => this.changes.push([fork, tip.height]));
    return opened;
  }

  /** Whether the store holds exactly the node's chain. */
  expectSame(): void {
    expect(this.store.tip).toMatchObject({ height: this.node.height, hash: this.node.hashes.at(-1) });
    for (const [height, hash] of this.node.hashes.entries()) {
      const header = this.node.headers[height] as Uint8Array;
      expect(this.store.at(height)).toStrictEqual({ hash, height, header });
      expect(this.store.header(hash)).toStrictEqual({ hash, height, header });
    }
    expect(this.store.at(this.node.height + 1)).toBeUndefined();
  }

  readonly #after = (_: number, run: () => void): (() => void) => {
    this.later = run;
    return () => {
      this.later = undefined;
    };
  };
}
