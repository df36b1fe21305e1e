import { beforeEach, inject } from 'vitest';

beforeEach(({ skip }) => {
  if (inject('postgres') === undefined) skip('no PostgreSQL programs are on this machine');
});
