import { useRef } from 'react';

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The same request keeps its key however often it is sent, so that a lost answer never mints twice. */
export function useIdempotencyKey(request: string): string {
  const held = useRef({ request, key: '' });
  if (held.current.key === '' || held.current.request !== request) held.current = { request, key: newKey() };
  return held.current.key;
}
