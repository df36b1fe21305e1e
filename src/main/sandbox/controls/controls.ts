import type {
  RelayResult,
  SandboxClockSetting,
  SandboxFault,
  SandboxSnapshot,
  SandboxStatus,
} from '../../../contract/index.ts';
import type { KeyOwner } from '../api/api-keys.ts';

/** The sandbox's controls, used by its HTTP API, the console and the command line. */
export interface Controls {
  /** The owner of the key of a request to `/admin`. */
  find(apiKey: string): KeyOwner | undefined;
  mine(blocks: number): Promise<string[]>;
  fund(address: string, satoshis: number): Promise<string>;
  reorg(depth: number): Promise<string[]>;
  doubleSpend(request: { txid: string; mined: boolean }): Promise<{ txid: string }>;
  /** @param request.list null lets the output be spent again */
  freeze(request: { txid: string; vout: number; list: 'policy' | 'consensus' | null }): Promise<void>;
  relay(request: { rawTx: string }): Promise<RelayResult>;
  /** @param owner user of the key; defaults to the default user, or a new user if `newUser` is set */
  createKey(owner: { userUid?: string | undefined; newUser?: boolean | undefined }): Promise<string>;
  status(): Promise<SandboxStatus>;
  setFault(fault: SandboxFault): void;
  clearFault(name?: SandboxFault['name']): void;
  setClock(setting: SandboxClockSetting): Promise<void>;
  snapshot(name: string): Promise<SandboxSnapshot>;
  revert(name: string): Promise<void>;
  removeSnapshot(name: string): Promise<void>;
  reset(options: { seed?: string | undefined }): Promise<void>;
  exportTo(file: string): Promise<{ bytes: number }>;
  importFrom(file: string): Promise<void>;
  /** Folder for temporary files, which are removed at the next start. */
  readonly workFolder: string;
}
