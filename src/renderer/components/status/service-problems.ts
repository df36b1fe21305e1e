import type { ServiceStatus } from '../../../contract/index.ts';

/** The displayed state: a running service may still be unable to do its work. */
export function visibleState({ status }: ServiceStatus): ServiceStatus['status']['state'] | 'degraded' {
  return status.state === 'running' && status.degraded !== undefined ? 'degraded' : status.state;
}

/** Whether a service failed or cannot do its work. A warning about a setting does not count. */
export function hasProblem(service: ServiceStatus): boolean {
  return visibleState(service) === 'degraded' || visibleState(service) === 'failed';
}

/** Whether a service has a warning or a problem to show with its state. */
export function hasNotice(service: ServiceStatus): boolean {
  return hasProblem(service) || (service.status.state === 'running' && service.status.warning !== undefined);
}

/** The combined state of all services. A problem takes precedence over a start. */
export function summaryOf(services: readonly ServiceStatus[]): {
  state: 'running' | 'starting' | 'problems';
  count: number;
} {
  const count = services.filter(hasProblem).length;
  if (count > 0) return { state: 'problems', count };
  const running = services.length > 0 && services.every(({ status }) => status.state === 'running');
  return { state: running ? 'running' : 'starting', count: 0 };
}
