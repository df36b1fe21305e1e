import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NetworkProfile } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';

/** A change to a network. Its page shows the result. */
export function useProfileAction<Input>(run: (input: Input) => Promise<NetworkProfile>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (profile) => {
      queries.setQueryData<NetworkProfile[]>(api.networks.list.queryKey(), (all) =>
        all?.map((one) => (one.network === profile.network ? profile : one)),
      );
      void queries.invalidateQueries({ queryKey: api.settings.key() });
    },
    // Saving the first key sets the passphrase of the vault, which other networks use too. It stays set if a later step fails.
    onSettled: () => void queries.invalidateQueries({ queryKey: api.networks.list.key() }),
  });
}
