import type { Settings } from '../../contract/index.ts';

export interface SettingsView {
  current(): Settings;
  /** Calls `listener` after every saved change. @returns removes the listener */
  onChange(listener: (settings: Settings, changed: readonly string[]) => void): () => void;
}

/** Addresses of the active network: from the settings, or those the sandbox is bound to. */
export interface Endpoints {
  readonly baseUrl: string;
  readonly consoleBaseUrl: string;
  readonly mapiUrl: string;
  /** The sandbox's own; other networks have none of themselves. */
  readonly arcUrl?: string | undefined;
  readonly bitcoinRpcUrl: string;
  readonly bitcoinZmqUrl: string;
}
