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
    // If the storage is full or forbidden, only the scroll position and the like are lost.
  }
}

/** Storage key of a list on this network. */
function useKey(name: string): string {
  return `${PREFIX} ${useNetwork()} ${name}`;
}

/**
 * State of a list that is kept while its window is open: across visits of other pages and reloads.
 * @param name of the list and of the state; different lists need different names
 * @param initial plain JSON
 */
export function useListState<T>(name: string, initial: T): [T, (next: T | ((before: T) => T)) => void] {
  const key = useKey(name);
  const [state, setState] = useState<{ key: string; value: T }>(() => ({ key, value: kept(key, initial) }));
  // The key changed without a new mount, for example since only the address changed.
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

/** A value stored by an earlier version in another form is ignored. */
function kept<T>(key: string, initial: T): T {
  const found = read(key);
  const fits =
    found !== null &&
    (initial === null || (typeof found === typeof initial && Array.isArray(found) === Array.isArray(initial)));
  return fits ? (found as T) : initial;
}

/** The name of a list including the page it is on, for lists of the same kind on many pages. */
export function useListPlace(name: string): string {
  const [location] = useLocation();
  return `${location} ${name}`;
}

const always = (): boolean => true;

/** Events of a person who starts to scroll. */
const takesOver = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Stores how far an element is scrolled, and restores it once its content is long enough. If the person scrolls in the meantime, it is not
 * restored.
 * @param restores called when the element is shown; false starts at its top
 */
export function useKeptScroll(
  box: RefObject<HTMLElement | null>,
  name: string,
  restores: () => boolean = always,
): void {
  const key = useKey(`${name} scroll`);
  const placed = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `restores` is called when the key changes, and only then.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const wanted = restores() ? read(key) : 0;
    // A new element is at its top already. Setting that would force a layout of the page during its first render.
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
