import { beforeEach, inject } from 'vitest';

beforeEach(({ skip }) => {
  const none = inject('noPostgres');
  if (none?.failed) throw new Error(`PostgreSQL could not be started: ${none.reason}`);
  if (none !== undefined) skip(none.reason);
});
