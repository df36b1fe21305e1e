/** The two speed-ups that the gateway also works without (docs/fast-path.md). */
export type Switch = 'PLANCHET_GATEWAY_FAST_PATH' | 'PLANCHET_GATEWAY_BATCHING';

/** Whether an environment variable leaves a speed-up on: anything but `off` does. */
export function isEnabled(name: Switch): boolean {
  return process.env[name] !== 'off';
}
