import { onlineManager } from '@tanstack/react-query';
import { afterEach, expect, it } from 'vitest';
import { createQueries } from './queries.ts';

afterEach(() => onlineManager.setOnline(true));

it('the host is asked and told also while the machine has no network', async () => {
  const queries = createQueries();
  onlineManager.setOnline(false);
  expect(await queries.fetchQuery({ queryKey: ['tip'], queryFn: async () => 7 })).toBe(7);
  const told: number[] = [];
  const mutation = queries.getMutationCache().build(queries, {
    mutationFn: async (height: number) => void told.push(height),
  });
  await mutation.execute(7);
  expect(told).toEqual([7]);
});
