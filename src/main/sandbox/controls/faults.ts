import type { SandboxFault } from '../../../contract/index.ts';

export type FaultName = SandboxFault['name'];
/** Which of the sandbox's interfaces a request goes to. */
export type FaultArea = Exclude<SandboxFault['area'], 'all'>;

/**
 * What the sandbox does wrong on purpose, so that clients can rehearse it. Kept in memory alone: a restart ends all faults.
 */
export class Faults {
  readonly #active = new Map<FaultName, SandboxFault>();

  /** Turns a fault on, or replaces it. */
  set(fault: SandboxFault): void {
    this.#active.set(fault.name, fault);
  }

  /** Turns one fault off, or all of them. */
  clear(name?: FaultName): void {
    if (name === undefined) this.#active.clear();
    else this.#active.delete(name);
  }

  list(): SandboxFault[] {
    return [...this.#active.values()];
  }

  /** The fault, where it is on for this area; counts as one of its times. */
  take(name: FaultName, area?: FaultArea): SandboxFault | undefined {
    const fault = this.#active.get(name);
    if (fault === undefined || (area !== undefined && fault.area !== 'all' && fault.area !== area)) return undefined;
    if (fault.times !== null) {
      if (fault.times <= 1) this.#active.delete(name);
      else this.#active.set(name, { ...fault, times: fault.times - 1 });
    }
    return fault;
  }
}
