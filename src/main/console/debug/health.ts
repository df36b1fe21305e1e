import { type AppInfo, type GatewayStatus, type ServiceStatus, withHint } from '../../../contract/index.ts';
import type { ConsoleContext } from '../context.ts';

export interface Health {
  /** `failing` where a service has failed or no upstream can be asked. */
  readonly status: 'ok' | 'failing';
  readonly version: string;
  readonly network: AppInfo['network'];
  /** Seconds since the start. */
  readonly uptime: number;
  readonly services: readonly { name: string; state: string; reason?: string; warning?: string; degraded?: string }[];
  readonly tip: GatewayStatus['tip'];
  readonly upstreams: readonly { origin: string; circuit: string; lastFailure: string | null }[];
}

/** The health of every part, with a reason for each that is not healthy. */
export async function healthOf({ app, services, gateway }: ConsoleContext, now: number): Promise<Health> {
  const { version, network, startedAt } = await app.info();
  const status = await gateway?.status();
  const parts = (await services.list()).map(partOf);
  const upstreams = (status?.upstreams ?? []).map(({ origin, circuit, lastFailure }) => ({
    origin,
    circuit,
    lastFailure,
  }));
  const cutOff = upstreams.length > 0 && upstreams.every(({ circuit }) => circuit !== 'closed');
  return {
    status: cutOff || parts.some(({ state }) => state === 'failed') ? 'failing' : 'ok',
    version,
    network,
    uptime: Math.max(0, Math.round((now - startedAt) / 1_000)),
    services: parts,
    tip: status?.tip ?? null,
    upstreams,
  };
}

function partOf({ name, status }: ServiceStatus): Health['services'][number] {
  const { state } = status;
  if (status.state === 'failed') return { name, state, reason: status.failure.message };
  if (status.state !== 'running') return { name, state };
  const { warning, degraded } = status;
  return {
    name,
    state,
    ...(warning && { warning: withHint(warning) }),
    ...(degraded && { degraded: withHint(degraded) }),
  };
}
