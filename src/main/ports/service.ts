import type { Failure, ServiceName } from '../../contract/index.ts';

export interface ServiceHealth {
  /** A permanent notice about the service's configuration. */
  readonly warning?: Failure | undefined;
  /** Why the service cannot do its work at present. */
  readonly degraded?: Failure | undefined;
  /** True if a fault that was turned on in the sandbox is why it is degraded. */
  readonly byFault?: boolean | undefined;
}

/** A part of the host that runs until it is stopped. */
export interface Service {
  readonly name: ServiceName;
  /**
   * Resolves when the service is ready to serve. If it rejects, the state of the service becomes `failed`.
   * @returns the bound address, and a permanent warning
   */
  start(): Promise<{ address?: string; warning?: Failure | undefined }>;
  /** Called every second while the service runs; its result replaces the warning that `start` returned. */
  health?(): ServiceHealth;
  /** Must resolve within 5 s with everything journalled. Also called after a failed start. */
  stop(): Promise<void>;
}
