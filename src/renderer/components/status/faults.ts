import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { SandboxFault } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';

/** The effect of a fault, as part of a sentence: "the node answers 503". */
export function faultWords(t: TFunction, { name, value, area }: SandboxFault): string {
  return t(`services.fault.${name}`, { area: t(`services.faultArea.${area}`), value });
}

/** Turns faults off one by one. The state is updated by the live event, since a reply could be older than the newest event. */
export function useClearFaults() {
  return useMutation({
    mutationFn: async (faults: readonly Pick<SandboxFault, 'name' | 'area'>[]) => {
      for (const { name, area } of faults) await client.sandbox.faults.clear({ name, area });
    },
  });
}
