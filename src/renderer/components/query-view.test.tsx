import { useQuery } from '@tanstack/react-query';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { renderPart } from '../test-support/render.tsx';
import { QueryView } from './query-view.tsx';

afterEach(cleanup);

it('a list that was empty at an earlier visit is not called empty until it was read again', async () => {
  const answer = Promise.withResolvers<string[]>();
  function List() {
    const query = useQuery({ queryKey: ['words'], queryFn: () => answer.promise, initialData: [], staleTime: 0 });
    return (
      <QueryView query={query} isEmpty={(words) => words.length === 0} empty={<p>No words yet</p>}>
        {(words) => <p>{words.join(' ')}</p>}
      </QueryView>
    );
  }
  renderPart(<List />);
  expect(screen.queryByText('No words yet')).toBeNull();
  expect(screen.getByRole('status', { name: /^Loading/ })).toBeTruthy();
  await act(async () => answer.resolve([]));
  expect(await screen.findByText('No words yet')).toBeTruthy();
});

it('a list with content shows what it had at an earlier visit while it is read again', () => {
  function List() {
    const query = useQuery({
      queryKey: ['letters'],
      queryFn: () => new Promise<string[]>(() => {}),
      initialData: ['a'],
      staleTime: 0,
    });
    return (
      <QueryView query={query} isEmpty={(letters) => letters.length === 0} empty={<p>Nothing</p>}>
        {(letters) => <p>{letters.join(' ')}</p>}
      </QueryView>
    );
  }
  renderPart(<List />);
  expect(screen.getByText('a')).toBeTruthy();
});
