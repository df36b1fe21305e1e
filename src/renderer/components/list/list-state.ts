import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useNetwork } from '../../api/live/live-store.ts';

const PREFIX = 'planchet-list';

function read(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs the way back its place, and nothing else.
  }
}

/** Names what is kept of one list, on this network. */
function useKey(name: string): string {
  return `${PREFIX} ${useNetwork()} ${name}`;
}

/**
 * State of a list that is kept while its window is open: when one goes into a row and back, and when the page is loaded again.
 * @param name of the list and of what is kept of it; lists of different things have different names
 * @param initial plain JSON
 */
export function useListState<T>(name: string, initial: T): [T, (next: T | ((before: T) => T)) => void] {
  const key = useKey(name);
  const [state, setState] = useState<{ key: string; value: T }>(() => ({ key, value: kept(key, initial) }));
  // Another list stands here now, as where only the address changed.
  const value = state.key === key ? state.value : kept(key, initial);
  const change = (next: T | ((before: T) => T)): void =>
    setState((before) => {
      const known = before.key === key ? before.value : kept(key, initial);
      const changed = typeof next === 'function' ? (next as (before: T) => T)(known) : next;
      write(key, changed);
      return { key, value: changed };
    });
  return [value, change];
}

/** What an earlier version kept in another form is not used. */
function kept<T>(key: string, initial: T): T {
  const found = read(key);
  const fits =
    found !== null &&
    (initial === null || (typeof found === typeof initial && Array.isArray(found) === Array.isArray(initial)));
  return fits ? (found as T) : initial;
}

/** The name of a list with the page that it stands on, for lists of the same kind on many pages. */
export function useListPlace(name: string): string {
  const [location] = useLocation();
  return `${location} ${name}`;
}

const always = (): boolean => true;

/** What a person does to scroll by themselves. */
const takesOver = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Keeps how far an element is scrolled, and brings it back there once what it holds is long enough. A person who scrolls meanwhile is
 * followed instead.
 * @param restores asked when the place opens; false where it begins at its top again
 */
export function useKeptScroll(
  box: RefObject<HTMLElement | null>,
  name: string,
  restores: () => boolean = always,
): void {
  const key = useKey(`${name} scroll`);
  const placed = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whether it is restored is asked when the place changes, and only then.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const wanted = restores() ? read(key) : 0;
    // A fresh element stands at its top; to set that would lay out the whole page while it is still drawn.
    if (wanted === 0 && placed.current === element) element.scrollTop = 0;
    placed.current = element;
    let goal = typeof wanted === 'number' && wanted > 0 ? wanted : undefined;
    const observer = new MutationObserver(() => restore());
    const release = (): void => {
      goal = undefined;
      observer.disconnect();
    };
    const restore = (): void => {
      if (goal === undefined) return;
      element.scrollTop = goal;
      if (Math.abs(element.scrollTop - goal) <= 1) release();
    };
    const keep = (): void => {
      if (goal === undefined) write(key, Math.round(element.scrollTop));
    };
    if (goal !== undefined) observer.observe(element, { childList: true, subtree: true, attributeFilter: ['style'] });
    restore();
    element.addEventListener('scroll', keep, { passive: true });
    for (const event of takesOver) element.addEventListener(event, release, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', keep);
      for (const event of takesOver) element.removeEventListener(event, release);
    };
  }, [key]);
}
