import { breaksNode, PlanchetError, type SandboxFault } from '../../contract/index.ts';
import type { Service, ServiceHealth } from '../ports/service.ts';

/** What the state of the sandbox says while faults are on. */
export function healthOfFaults(faults: readonly SandboxFault[]): Pick<ServiceHealth, 'degraded' | 'byFault'> {
  if (faults.length === 0) return {};
  const names = faults.map(({ name }) => name).join(', ');
  return { degraded: new PlanchetError('sandbox.faults-on', { names }).toFailure(), byFault: true };
}

/**
 * A service that asks the sandbox's node. If it cannot do its work while a fault keeps the node from answering, its state says that the
 * fault is why.
 * @param faults those that are on
 */
export function explainedByFaults(service: Service, faults: () => readonly SandboxFault[]): Service {
  return {
    name: service.name,
    start: () => service.start(),
    stop: () => service.stop(),
    health: () => {
      const health = service.health?.() ?? {};
      return health.degraded !== undefined && faults().some(breaksNode) ? { ...health, byFault: true } : health;
    },
  };
}
