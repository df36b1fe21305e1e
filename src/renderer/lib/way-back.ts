/** State of a history entry that was visited before. In a link, it makes the page restore its last position. */
export const visited = { visited: true } as const;

/**
 * Whether the opened history entry was visited before: by going back, by a reload, or through a link with the state `visited`. Marks it as
 * visited.
 */
export function comesBack(): boolean {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'visited' in state) return true;
  history.replaceState({ ...(state as object | null), ...visited }, '');
  return false;
}
