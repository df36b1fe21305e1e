import { z } from 'zod';

/** The protocols of miners' endpoints: the name of each, and whether its answers are signed. */
export const minerProtocols = {
  /** The merchant API, 1.2 to 1.5. */
  mapi: { name: 'mAPI', signs: true },
  arc: { name: 'ARC', signs: false },
  /** Arcade, version 2. */
  arcade: { name: 'Arcade', signs: false },
} as const;
export type MinerKind = keyof typeof minerProtocols;
export const minerKindSchema = z.enum(Object.keys(minerProtocols) as [MinerKind, ...MinerKind[]]);
