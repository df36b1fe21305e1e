import type { SandboxFault, SandboxFaultName } from '../../../contract/index.ts';

/** The API that a request belongs to. */
export type FaultArea = Exclude<SandboxFault['area'], 'all'>;

/**
 * Faults that the sandbox simulates, so that clients can test their handling. In memory only: a restart clears them.
 */
export class Faults {
  readonly #active = new Map<SandboxFaultName, SandboxFault>();
  readonly #onChange: (faults: SandboxFault[]) => void;

  /** @param onChange is called when a fault is turned on or off, or has occurred as often as it should; not at each occurrence */
  constructor(onChange: (faults: SandboxFault[]) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /** Enables or replaces a fault. */
  set(fault: SandboxFault): void {
    this.#active.set(fault.name, fault);
    this.#onChange(this.list());
  }

  /** Clears one fault, or all. */
  clear(name?: SandboxFaultName): void {
    const had = this.#active.size;
    if (name === undefined) this.#active.clear();
    else this.#active.delete(name);
    if (this.#active.size !== had) this.#onChange(this.list());
  }

  list(): SandboxFault[] {
    return [...this.#active.values()];
  }

  /** Returns the fault if it is enabled for this area, and counts one occurrence. */
  take(name: SandboxFaultName, area?: FaultArea): SandboxFault | undefined {
    const fault = this.#active.get(name);
    if (fault === undefined || (area !== undefined && fault.area !== 'all' && fault.area !== area)) return undefined;
    if (fault.times !== null) {
      if (fault.times <= 1) this.clear(name);
      else this.#active.set(name, { ...fault, times: fault.times - 1 });
    }
    return fault;
  }
}
