import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NetworkProfile } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';

/** Something that changes a network; its page shows what came of it. */
export function useProfileAction<Input>(run: (input: Input) => Promise<NetworkProfile>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (profile) => {
      queries.setQueryData<NetworkProfile[]>(api.networks.list.queryKey(), (all) =>
        all?.map((one) => (one.network === profile.network ? profile : one)),
      );
      // The first key of a network gives the others' vault its passphrase.
      void queries.invalidateQueries({ queryKey: api.networks.list.key() });
      void queries.invalidateQueries({ queryKey: api.settings.key() });
    },
  });
}
