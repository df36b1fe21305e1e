import { type KeyboardEvent, useRef, useState } from 'react';
import { showFailure } from '../toasts/show-failure.ts';

/** Index of the tile that a key moves to; undefined for keys that do not move. */
function moved(key: string, at: number, count: number, columns: number, page: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at - columns,
    ArrowDown: at + columns,
    PageUp: at - page,
    PageDown: at + page,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  if (next === undefined) return undefined;
  // There is nothing above the first row. Below the last full row is the last tile.
  if (key === 'ArrowUp' && next < 0) return at;
  return Math.max(0, Math.min(count - 1, next));
}

/** Updates the selection. */
export type ChangeChosen = (change: (chosen: ReadonlySet<string>) => ReadonlySet<string>) => void;

export interface Tiles {
  readonly count: number;
  /** Tiles per row. */
  readonly columns: number;
  /** Tiles per page. */
  readonly page: number;
  /**
   * Ids of the selectable tiles between these two indexes, inclusive. Those far away may have to be loaded.
   */
  idsBetween(first: number, last: number): Promise<readonly string[]>;
  onChosen: ChangeChosen;
  onOpen(index: number): void;
  scrollTo(index: number): void;
}

export interface Click {
  /** With Shift: selects everything from the last one to this one. */
  readonly extend: boolean;
  /** On its checkbox, or with Ctrl or Cmd: selects instead of opening. */
  readonly choose: boolean;
}

/**
 * Navigation and selection of tiles: arrows, Page, Home and End move, with Shift they select what they pass; Space selects, Ctrl+A selects
 * all, Escape none, Enter opens. A click opens; on the checkbox, or with Ctrl, it selects; with Shift it selects all from the last one on.
 * @returns the active index, -1 before the first key; handlers that are stable between renders
 */
export function useTileSelection(tiles: Tiles) {
  const [active, setActive] = useState(-1);
  const latest = useRef(tiles);
  latest.current = tiles;
  // Start of a range: the tile that was last selected or reached without Shift.
  const anchor = useRef(-1);
  const at = useRef(active);
  at.current = active;

  const [handlers] = useState(() => {
    const withIds = (from: number, to: number, use: (ids: readonly string[]) => void): void =>
      void latest.current
        .idsBetween(Math.min(from, to), Math.max(from, to))
        .then(use, (error: unknown) => showFailure('tiles-chosen', error));
    const add = (from: number, to: number): void =>
      withIds(from, to, (ids) => latest.current.onChosen((chosen) => new Set([...chosen, ...ids])));
    const replace = (from: number, to: number): void =>
      withIds(from, to, (ids) => latest.current.onChosen(() => new Set(ids)));
    const toggle = (index: number): void =>
      withIds(index, index, ([id]) => {
        if (id === undefined) return;
        latest.current.onChosen((chosen) => {
          const next = new Set(chosen);
          if (!next.delete(id)) next.add(id);
          return next;
        });
      });
    return {
      onClick: (index: number, { extend, choose }: Click): void => {
        setActive(index);
        if (extend && anchor.current >= 0) {
          add(anchor.current, index);
          return;
        }
        anchor.current = index;
        if (extend || choose) toggle(index);
        else latest.current.onOpen(index);
      },
      onKeyDown: (event: KeyboardEvent<HTMLElement>): void => {
        const { count, columns, page, onChosen, onOpen, scrollTo } = latest.current;
        if (event.target !== event.currentTarget || event.altKey || count === 0) return;
        const command = event.ctrlKey || event.metaKey;
        const { key, shiftKey: shift } = event;
        const now = at.current;
        if (command ? key.toLowerCase() === 'a' : key === 'Escape') {
          if (key === 'Escape') onChosen((chosen) => (chosen.size === 0 ? chosen : new Set()));
          else {
            event.preventDefault();
            replace(0, count - 1);
          }
          return;
        }
        if (command) return;
        if (key === 'Enter' || key === ' ') {
          event.preventDefault();
          if (now < 0) return;
          if (key === 'Enter') {
            onOpen(now);
            return;
          }
          if (shift && anchor.current >= 0) add(anchor.current, now);
          else {
            anchor.current = now;
            toggle(now);
          }
          return;
        }
        const next = moved(key, Math.max(0, now), count, columns, page);
        if (next === undefined) return;
        event.preventDefault();
        // The first arrow key goes to the first tile.
        const target = now < 0 && key.startsWith('Arrow') ? 0 : next;
        setActive(target);
        scrollTo(target);
        if (!shift) {
          anchor.current = target;
          return;
        }
        if (anchor.current < 0) anchor.current = Math.max(0, now);
        replace(anchor.current, target);
      },
    };
  });
  return { active: active < tiles.count ? active : -1, ...handlers };
}
