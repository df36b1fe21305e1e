import type { SandboxFault, SandboxFaultName } from '../../../contract/index.ts';

/** The API that a request belongs to. */
export type FaultArea = Exclude<SandboxFault['area'], 'all'>;

/**
 * Faults that the sandbox simulates, so that clients can test their handling. In memory only: a restart clears them.
 */
export class Faults {
  #active: readonly SandboxFault[] = [];
  readonly #onChange: (faults: SandboxFault[]) => void;

  /** @param onChange is called when a fault is turned on or off, or has occurred as often as it should; not at each occurrence */
  constructor(onChange: (faults: SandboxFault[]) => void = () => undefined) {
    this.#onChange = onChange;
  }

  /**
   * Enables a fault in place of one with the same name and area. A fault for all areas replaces those of every area, and any of these
   * replaces it.
   */
  set(fault: SandboxFault): void {
    const stays = ({ name, area }: SandboxFault): boolean =>
      name !== fault.name || (area !== fault.area && area !== 'all' && fault.area !== 'all');
    this.#active = [...this.#active.filter(stays), fault];
    this.#onChange(this.list());
  }

  /**
   * Clears the faults with this name, with this area, or with both; all of them if neither is given.
   * @param cleared.area as it was set; `all` matches only faults that were set for all areas
   */
  clear({ name, area }: Partial<Pick<SandboxFault, 'name' | 'area'>> = {}): void {
    const had = this.#active.length;
    const stays = (fault: SandboxFault): boolean =>
      (name !== undefined && fault.name !== name) || (area !== undefined && fault.area !== area);
    this.#active = this.#active.filter(stays);
    if (this.#active.length !== had) this.#onChange(this.list());
  }

  list(): SandboxFault[] {
    return [...this.#active];
  }

  /** Returns the fault if it is enabled for this area, and counts one occurrence. */
  take(name: SandboxFaultName, area?: FaultArea): SandboxFault | undefined {
    const fault = this.#active.find(
      (one) => one.name === name && (area === undefined || one.area === 'all' || one.area === area),
    );
    if (fault === undefined || fault.times === null) return fault;
    const left = { ...fault, times: fault.times - 1 };
    this.#active = this.#active.flatMap((one) => (one !== fault ? [one] : left.times > 0 ? [left] : []));
    if (left.times === 0) this.#onChange(this.list());
    return fault;
  }
}
