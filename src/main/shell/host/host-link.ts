import type { MessagePortMain } from 'electron';
import type { ConsoleClient } from '../../console/http-client.ts';
import type { ShellLogger } from '../shell-logger.ts';
import type { ShellKeychain } from './keychain.ts';

export interface HostLinkOptions {
  readonly dataDir: string;
  readonly version: string;
  readonly overrides: Readonly<Record<string, string>>;
  readonly safeMode: boolean;
  readonly rendererDir: string;
  readonly keychain: ShellKeychain;
  /** Another network was chosen: the application restarts. */
  readonly onRestart: () => void;
  /** The host crashed, and is started again. */
  readonly onCrash: () => void;
  /** It runs again; pages need new ports. */
  readonly onBack: () => void;
  /** It crashed too often, and is not started any more. */
  readonly onGone: () => void;
}

/** The host as the shell uses it, wherever it runs. */
export interface HostLink {
  /** Calls of the shell itself. After a crash it is another one. */
  readonly client: ConsoleClient;
  /**
   * Serves the contract on a port, for a page.
   * @returns a function that takes the port back and ends the calls on it
   */
  serve(port: MessagePortMain): () => void;
  log(level: 'info' | 'warn' | 'error', text: string, fields: Readonly<Record<string, unknown>>): void;
  sleep(): void;
  /** Resolves when each service runs or has failed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Builds a host. @throws PlanchetError where it cannot be built */
export type OpenHost = (options: HostLinkOptions) => Promise<HostLink>;

/** The shell's log, which the host writes. */
export function loggerOf(link: HostLink): ShellLogger {
  return {
    info: (fields, text) => link.log('info', text, { ...fields }),
    warn: (fields, text) => link.log('warn', text, { ...fields }),
    error: (fields, text) => link.log('error', text, { ...fields }),
  };
}
