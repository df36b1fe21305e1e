import { Miner } from '../node/mining/miner.ts';
import type { SandboxParts } from '../parts.ts';

/** The miner, restarted whenever its settings change. */
export class LiveMiner {
  readonly #parts: Pick<SandboxParts, 'node' | 'clock' | 'logger'>;
  readonly #stopListening: () => void;
  #miner: Miner;
  #when: string;

  constructor({ settings, ...parts }: Pick<SandboxParts, 'node' | 'clock' | 'logger' | 'settings'>) {
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
