import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { keepNewest } from './newest.ts';

const job = (states: string[], updatedAt: number) => ({ history: states.map((state) => ({ state })), updatedAt });

describe('keepNewest', () => {
  it('keeps the newer version, by its number of steps and then by its time', () => {
    const draft = job(['draft'], 1_000);
    const built = job(['draft', 'built'], 1_000);
    const failed = job(['draft', 'built'], 2_000);
    expect(keepNewest(undefined, draft)).toBe(draft);
    expect(keepNewest(draft, built)).toBe(built);
    expect(keepNewest(built, draft)).toBe(built);
    expect(keepNewest(built, failed)).toBe(failed);
    expect(keepNewest(failed, built)).toBe(failed);
  });

  it('still updates after the clock was set back', () => {
    const before = { updatedAt: 9_000_000 };
    const after = { updatedAt: 1_000_000 };
    expect(keepNewest(before, after)).toBe(after);
  });

  it('works for cached versions in any order of arrival', () => {
    const queries = new QueryClient();
    queries.setQueryDefaults(['job'], { structuralSharing: keepNewest });
    const built = job(['draft', 'built'], 2_000);
    queries.setQueryData(['job', 1], built);
    queries.setQueryData(['job', 1], job(['draft'], 1_000));
    expect(queries.getQueryData(['job', 1])).toBe(built);
  });
});
