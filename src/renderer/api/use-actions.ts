import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * A mutation whose calls may overlap, such as a button in each row. `useMutation` follows only the latest call, so the failure of one that was
 * still under way as the next began would never be shown.
 * @returns `error` is the last failure since the latest call began, of whichever call; `isPending` and `variables` are of the latest
 */
export function useActions<Data, Input>(options: Omit<UseMutationOptions<Data, Error, Input>, 'onMutate' | 'onError'>) {
  const [error, setError] = useState<Error | null>(null);
  const { mutate, mutateAsync, isPending, variables } = useMutation({
    ...options,
    onMutate: () => setError(null),
    onError: (failed) => setError(failed),
  });
  return { mutate, mutateAsync, isPending, variables, error, dismiss: () => setError(null) };
}
