import type { PreferenceStore } from '../preferences/preferences.ts';

/** So long the application must run before a start counts as good. */
export const GOOD_AFTER_MS = 30_000;
const FAILED_STARTS = 2;

/** The version to go back to. `installer` is null where none was kept. */
export interface Rollback {
  readonly previous: string;
  readonly installer: string | null;
}

/** Notes each start until it has proved good, so that an update that does not start can be taken back. */
export class StartRecord {
  readonly #store: PreferenceStore;
  readonly #version: string;

  constructor(store: PreferenceStore, version: string) {
    this.#store = store;
    this.#version = version;
  }

  /** Called first at each start. @returns where to go back to, after two starts of this version that never were good */
  begin(): Rollback | undefined {
    const failed = this.#store.get('failedStarts');
    const count = failed?.version === this.#version ? failed.count : 0;
    this.#store.set('failedStarts', { version: this.#version, count: Math.min(1_000, count + 1) });
    const good = this.#store.get('goodVersion');
    if (count < FAILED_STARTS || good === null || good.version === this.#version) return undefined;
    return { previous: good.version, installer: good.installer };
  }

  /** The application has run long enough, or was quit in order. */
  good(): void {
    this.#store.set('failedStarts', null);
    if (this.#store.get('goodVersion')?.version === this.#version) return;
    const installer = this.#store.get('installer');
    this.#store.set('goodVersion', {
      version: this.#version,
      installer: installer?.version === this.#version ? installer.path : null,
    });
  }
}
