import { afterEach } from 'vitest';
import type { HostOptions } from '../../host/host.ts';
import { closeTestHost, filledDataDir, openTestHost, type TestHost } from './open-host.ts';

/** Opens a host for each test of a file, and closes it after the test. */
export function oneHost(): {
  /** On a data folder after its first start where none is given. */
  open(options?: Partial<HostOptions>): Promise<TestHost>;
  /** Closes it in the middle of a test and leaves its data for the next. */
  close(): Promise<void>;
} {
  let opened: TestHost | undefined;
  const close = async (keepData: boolean): Promise<void> => {
    const last = opened;
    opened = undefined;
    if (last) await closeTestHost(last, { keepData });
  };
  afterEach(() => close(false));
  return {
    async open(options = {}) {
      opened = await openTestHost({ ...options, dataDir: options.dataDir ?? (await filledDataDir()) });
      return opened;
    },
    close: () => close(true),
  };
}
