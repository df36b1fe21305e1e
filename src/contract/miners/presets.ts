import { z } from 'zod';
import type { Network } from '../common.ts';
import { minerKindSchema } from './protocols.ts';

/**
 * Public miners of each network by name. docs/miners.md lists what was read and what was not tried yet. The sandbox has its own miners.
 */
export const minerPresets: Readonly<Record<Network, readonly Omit<MinerPreset, 'isAdded'>[]>> = {
  main: [
    {
      id: 'arcade',
      name: 'Arcade',
      operator: 'BSV Association',
      kind: 'arcade',
      url: 'https://arcade-v2-us-1.bsvblockchain.tech',
      needsKey: false,
    },
    {
      id: 'gorillapool',
      name: 'GorillaPool ARC',
      operator: 'GorillaPool',
      kind: 'arc',
      url: 'https://arc.gorillapool.io/v1',
      needsKey: false,
    },
    {
      id: 'taal',
      name: 'TAAL ARC',
      operator: 'TAAL',
      kind: 'arc',
      url: 'https://arc.taal.com/v1',
      needsKey: true,
    },
  ],
  test: [
    {
      id: 'arcade',
      name: 'Arcade',
      operator: 'BSV Association',
      kind: 'arcade',
      url: 'https://arcade-v2-testnet-us-1.bsvblockchain.tech',
      needsKey: false,
    },
    {
      id: 'taal',
      name: 'TAAL ARC',
      operator: 'TAAL',
      kind: 'arc',
      url: 'https://arc-test.taal.com/v1',
      needsKey: true,
    },
  ],
  private: [],
  sandbox: [],
};

export const minerPresetSchema = z.object({
  /** Its name on the command line. */
  id: z.string(),
  name: z.string(),
  /** Who runs it. */
  operator: z.string(),
  kind: minerKindSchema,
  url: z.string(),
  /** Whether it needs an API key of the person. */
  needsKey: z.boolean(),
  /** A miner with its address is set up. */
  isAdded: z.boolean(),
});
export type MinerPreset = z.infer<typeof minerPresetSchema>;
