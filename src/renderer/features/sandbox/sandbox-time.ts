import { createContext, useContext } from 'react';
import type { SandboxStatus } from '../../../contract/index.ts';
import { useNow } from '../../components/values/use-now.ts';

interface SandboxTime {
  readonly clock: SandboxStatus['clock'];
  /** When this machine read it, in milliseconds since 1970-01-01 UTC. */
  readonly readAt: number;
}

const Time = createContext<SandboxTime | null>(null);
export const SandboxTimeProvider = Time.Provider;

/** The time of the sandbox. It advances once a second unless its clock stands still. */
export function useSandboxNow(): number {
  const machine = useNow();
  const time = useContext(Time);
  if (time === null) return machine;
  return time.clock.frozen ? time.clock.now : time.clock.now + Math.max(0, machine - time.readAt);
}
