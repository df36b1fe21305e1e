import type {
  RelayResult,
  SandboxClockSetting,
  SandboxFault,
  SandboxSnapshot,
  SandboxStatus,
} from '../../../contract/index.ts';
import type { KeyOwner } from '../api/api-keys.ts';

/** The controls of the sandbox, as its HTTP address, the console and the command line use them. */
export interface Controls {
  /** Whose key a request to `/admin` carries. */
  find(apiKey: string): KeyOwner | undefined;
  mine(blocks: number): Promise<string[]>;
  fund(address: string, satoshis: number): Promise<string>;
  reorg(depth: number): Promise<string[]>;
  doubleSpend(request: { txid: string; mined: boolean }): Promise<{ txid: string }>;
  relay(request: { rawTx: string }): Promise<RelayResult>;
  /** @param owner whose user the key is for; of the default user, or of a new one, where it is left out */
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
  /** A folder for files that are on their way in or out; they are removed at the next start. */
  readonly workFolder: string;
}
