import { useRef } from 'react';
import { newKey } from '../../lib/new-key.ts';

/** The same request keeps its key however often it is sent, so that a lost answer never mints twice. */
export function useIdempotencyKey(request: string): string {
  const held = useRef({ request, key: '' });
  if (held.current.key === '' || held.current.request !== request) held.current = { request, key: newKey() };
  return held.current.key;
}
