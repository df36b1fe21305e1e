import type { Failure, Notice, ServiceStatus } from '../../contract/index.ts';

/** A part that did not start or could not be read, for programs that start Planchet. */
export interface Problem {
  /** Name of the service; `settings` for the settings file, `host` where nothing could be started. */
  readonly service: string;
  readonly code: Failure['code'];
  readonly message: string;
  readonly hint: string;
}

/** Prefix of the ids of notices about the settings file. */
const SETTINGS_NOTICE = 'settings-';

export function isAboutSettings({ id }: Notice): boolean {
  return id.startsWith(SETTINGS_NOTICE);
}

const LOOK = 'Run "planchet doctor": it checks every part and names the fix.';

/**
 * What did not start, and what was wrong with the settings file. A running service that only waits, for example for an upstream, is no problem
 * here: `/readyz` and the views report it.
 */
export function problemsOf(services: readonly ServiceStatus[], notices: readonly Notice[]): Problem[] {
  const ofSettings = notices
    .filter(isAboutSettings)
    .map(({ message, hint = LOOK }): Problem => ({ service: 'settings', code: 'settings-invalid', message, hint }));
  return [...ofSettings, ...services.flatMap(problemOf)];
}

function problemOf({ name, status }: ServiceStatus): Problem[] {
  if (status.state !== 'failed') return [];
  const { code, message, hint = LOOK } = status.failure;
  return [{ service: name, code, message, hint }];
}

/** Whether every service has started. @returns why not, or null */
export function notReady(services: readonly ServiceStatus[]): string | null {
  for (const { name, status } of services) {
    if (status.state === 'failed') return `${name}: ${status.failure.message}`;
    if (status.state !== 'running') return `${name} is ${status.state}.`;
  }
  return null;
}

/** Whether Planchet can do its work: every service has started, and the gateway has an upstream to ask. */
export function isReady(services: readonly ServiceStatus[]): boolean {
  const cutOff = services.some(
    ({ name, status }) => name === 'gateway' && status.state === 'running' && status.degraded !== undefined,
  );
  return !cutOff && notReady(services) === null;
}
