import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { SandboxFault } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';

/** What a fault breaks, as part of a sentence: "the node answers 503". */
export function faultWords(t: TFunction, { name, value, area }: SandboxFault): string {
  return t(`services.fault.${name}`, { area: t(`services.faultArea.${area}`), value });
}

/** Turns faults off, one after the other. The state follows by the live event too; the answer is there first. */
export function useClearFaults() {
  return useMutation({
    mutationFn: async (faults: readonly Pick<SandboxFault, 'name'>[]) => {
      let left: SandboxFault[] = [];
      for (const { name } of faults) left = await client.sandbox.faults.clear({ name });
      return left;
    },
    onSuccess: (faults) => useLive.setState({ faults }),
  });
}
