import type { Failure, ServiceName } from '../../contract/index.ts';
import type { Events } from '../ports/events.ts';

export interface HostHooks {
  cookieFile: string;
  publish: Events['publish'];
  /** Address of a running service; null while it does not run. */
  addressOf: (name: ServiceName) => string | null;
  /** Why a service failed; null if it did not. */
  failureOf: (name: ServiceName) => Failure | null;
  /** Whether every service has started and can do its work. */
  isReady: () => boolean;
  /** Saves a new RPC password and restarts the gateway with it. */
  setPassword: (password: string) => Promise<void>;
}
