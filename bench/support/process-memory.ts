import { readFileSync } from 'node:fs';

/** A figure that Linux keeps of a process: `VmRSS` is what it takes, `VmHWM` the most it took. */
export function kilobytesOf(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): number {
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
