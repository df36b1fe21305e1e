import { type KeyboardEvent, type ReactNode, useRef } from 'react';

interface PickListProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string;
  /** Key of the selected item. */
  picked: string | undefined;
  onPick: (item: T) => void;
  /** Label for screen readers. */
  nameOf: (item: T) => string;
  /** The first item is at the right, further ones to its left. */
  fromRight?: boolean;
  className?: string | undefined;
  itemClass?: string | undefined;
  /** Attributes that the style sheet uses. */
  marksOf?: (item: T) => Record<`data-${string}`, string | number | boolean | undefined>;
  children: (item: T) => ReactNode;
}

/** Items of which one is selected. The list has one tab stop, and the arrow keys move between the items. */
export function PickList<T>({ items, keyOf, picked, onPick, nameOf, marksOf, children, ...look }: PickListProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const at = items.findIndex((item) => keyOf(item) === picked);
  const reachable = Math.max(0, at);
  function onKeyDown(event: KeyboardEvent): void {
    const last = items.length - 1;
    const right = look.fromRight ? -1 : 1;
    const steps: Partial<Record<string, number>> = {
      ArrowRight: reachable + right,
      ArrowLeft: reachable - right,
      ArrowDown: reachable + right,
      ArrowUp: reachable - right,
      Home: look.fromRight ? last : 0,
      End: look.fromRight ? 0 : last,
    };
    const wanted = steps[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, wanted));
    const item = items[next];
    if (item === undefined) return;
    onPick(item);
    const shown = list.current?.children[next] as HTMLElement | undefined;
    shown?.focus({ preventScroll: true });
    shown?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  return (
    <div
      ref={list}
      role="listbox"
      aria-label={look.label}
      aria-orientation="horizontal"
      className={look.className}
      onKeyDown={onKeyDown}
    >
      {items.map((item, index) => (
        <button
          key={keyOf(item)}
          type="button"
          role="option"
          aria-selected={keyOf(item) === picked}
          aria-label={nameOf(item)}
          tabIndex={index === reachable ? 0 : -1}
          className={look.itemClass}
          onClick={() => onPick(item)}
          {...marksOf?.(item)}
        >
          {children(item)}
        </button>
      ))}
    </div>
  );
}
