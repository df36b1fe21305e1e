/** State of a history entry that was visited before; given to a link, it leads back to where its page was left. */
export const visited = { visited: true } as const;

/**
 * Whether the place that has just opened is one to come back to: by the browser's own way back, by loading the page again, or over a link
 * with the state `visited`. Marks it as visited.
 */
export function comesBack(): boolean {
  const state: unknown = history.state;
  if (typeof state === 'object' && state !== null && 'visited' in state) return true;
  history.replaceState({ ...(state as object | null), ...visited }, '');
  return false;
}
