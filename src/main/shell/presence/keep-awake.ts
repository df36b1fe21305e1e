import type { ElectronApi } from '../electron-api.ts';

/** Keeps the computer from falling asleep while there is work. The screen may turn off. */
export class KeepAwake {
  readonly #blocker: ElectronApi['powerSaveBlocker'];
  #block: number | undefined;

  constructor(blocker: ElectronApi['powerSaveBlocker']) {
    this.#blocker = blocker;
  }

  set(isWorking: boolean): void {
    if (isWorking && this.#block === undefined) this.#block = this.#blocker.start('prevent-app-suspension');
    else if (!isWorking && this.#block !== undefined) {
      this.#blocker.stop(this.#block);
      this.#block = undefined;
    }
  }
}
