import { type KeyboardEvent, useRef, useState } from 'react';

/** Where a key leads from a tile; undefined for keys that do not move. */
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
  // Nothing above the first row; below the last full row lies the last tile.
  if (key === 'ArrowUp' && next < 0) return at;
  return Math.max(0, Math.min(count - 1, next));
}

/** Gets what is chosen, and gives what is to be. */
export type ChangeChosen = (change: (chosen: ReadonlySet<string>) => ReadonlySet<string>) => void;

export interface Tiles {
  readonly count: number;
  /** In a row. */
  readonly columns: number;
  /** Tiles that one page holds. */
  readonly page: number;
  /**
   * Ids of the tiles from the first to the last of these places, as far as they can be chosen. Those far away may have to be fetched.
   */
  idsBetween(first: number, last: number): Promise<readonly string[]>;
  onChosen: ChangeChosen;
  onOpen(index: number): void;
  scrollTo(index: number): void;
}

export interface Click {
  /** With Shift: everything from the last one to this one. */
  readonly extend: boolean;
  /** On its mark, or with Ctrl or Cmd: it is chosen, not opened. */
  readonly choose: boolean;
}

/**
 * Moves through tiles and chooses them: arrows, Page, Home and End move, with Shift they choose what they pass; Space chooses, Ctrl+A chooses
 * all, Escape none, Enter opens. A click opens; on the mark, or with Ctrl, it chooses; with Shift it chooses all from the last one on.
 * @returns the place the keyboard stands on, -1 before the first key; handlers that stay the same
 */
export function useTileSelection(tiles: Tiles) {
  const [active, setActive] = useState(-1);
  const latest = useRef(tiles);
  latest.current = tiles;
  // Where a range begins: the tile that was chosen or reached last without Shift.
  const anchor = useRef(-1);
  const at = useRef(active);
  at.current = active;

  const [handlers] = useState(() => {
    const between = async (from: number, to: number): Promise<readonly string[]> =>
      latest.current.idsBetween(Math.min(from, to), Math.max(from, to));
    const add = (from: number, to: number): void =>
      void between(from, to).then((ids) => latest.current.onChosen((chosen) => new Set([...chosen, ...ids])));
    const replace = (from: number, to: number): void =>
      void between(from, to).then((ids) => latest.current.onChosen(() => new Set(ids)));
    const toggle = (index: number): void =>
      void between(index, index).then(([id]) => {
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
        // The first arrow goes to the first tile; only the next ones move.
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
