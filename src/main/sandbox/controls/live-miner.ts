import type { Logger } from 'pino';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { Miner } from '../node/mining/miner.ts';
import type { SandboxNode } from '../node/node.ts';

/** The miner, restarted whenever its settings change. */
export class LiveMiner {
  readonly #parts: { node: SandboxNode; clock: Clock; logger: Logger };
  readonly #stopListening: () => void;
  #miner: Miner;
  #when: string;

  constructor({ settings, ...parts }: { node: SandboxNode; clock: Clock; logger: Logger; settings: SettingsView }) {
    this.#parts = parts;
    const { mineInterval, mineOnArrival } = settings.current().sandbox;
    this.#when = `${mineInterval} ${mineOnArrival}`;
    this.#miner = this.#begin(mineInterval, mineOnArrival);
    this.#stopListening = settings.onChange(({ sandbox }) => {
      const when = `${sandbox.mineInterval} ${sandbox.mineOnArrival}`;
      if (when === this.#when) return;
      this.#when = when;
      const before = this.#miner;
      this.#miner = this.#begin(sandbox.mineInterval, sandbox.mineOnArrival);
      before.stop().catch((error: unknown) => parts.logger.error({ err: error }, 'the miner did not stop'));
    });
  }

  async close(): Promise<void> {
    this.#stopListening();
    await this.#miner.stop();
  }

  #begin(mineInterval: string, mineOnArrival: string): Miner {
    const miner = new Miner({ ...this.#parts, mineInterval, mineOnArrival });
    miner.start();
    return miner;
  }
}
