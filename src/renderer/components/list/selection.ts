/** The selected rows, the active row of the keyboard, and the start of a range, all by row id. */
export interface Selection {
  readonly chosen: ReadonlySet<string>;
  readonly active: string | null;
  readonly anchor: string | null;
}

export const noSelection: Selection = { chosen: new Set(), active: null, anchor: null };

/** The ids in order, with their indexes. */
export interface Order {
  readonly count: number;
  idAt(index: number): string;
  indexOf(id: string): number;
}

export interface Key {
  readonly key: string;
  readonly shift: boolean;
  /** Ctrl, or Cmd on a Mac. */
  readonly command: boolean;
}

function range(order: Order, from: number, to: number): string[] {
  const [first, last] = from < to ? [from, to] : [to, from];
  return Array.from({ length: last - first + 1 }, (_, offset) => order.idAt(first + offset));
}

/** Selects or deselects a row. With `extend`, selects everything from the last selected one to this one. */
export function toggle(selection: Selection, order: Order, id: string, extend: boolean): Selection {
  const from = selection.anchor === null ? -1 : order.indexOf(selection.anchor);
  if (extend && from >= 0) {
    const chosen = new Set(selection.chosen);
    for (const each of range(order, from, order.indexOf(id))) chosen.add(each);
    return { chosen, active: id, anchor: selection.anchor };
  }
  const chosen = new Set(selection.chosen);
  if (!chosen.delete(id)) chosen.add(id);
  return { chosen, active: id, anchor: id };
}

/** Selects all rows, or none if all are selected already. */
export function toggleAll(selection: Selection, order: Order): Selection {
  const ids = order.count === 0 ? [] : range(order, 0, order.count - 1);
  const isAll = ids.every((id) => selection.chosen.has(id));
  return { ...selection, chosen: new Set(isAll ? [] : ids) };
}

/**
 * The effect of a key in a list: arrows, Page and Home/End move; with Shift they select what they pass; Space selects; Ctrl+A selects all;
 * Escape deselects all.
 * @param page rows per page
 * @returns undefined if the key has no effect
 */
export function pressKey(
  selection: Selection,
  order: Order,
  { key, shift, command }: Key,
  page: number,
): Selection | undefined {
  if (order.count === 0) return undefined;
  const at = selection.active === null ? -1 : order.indexOf(selection.active);
  if (command)
    return key.toLowerCase() === 'a' ? { ...selection, chosen: new Set(range(order, 0, order.count - 1)) } : undefined;
  if (key === ' ') return at < 0 ? undefined : toggle(selection, order, order.idAt(at), shift);
  if (key === 'Escape')
    return selection.chosen.size === 0 ? undefined : { ...selection, chosen: new Set(), anchor: null };
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? 0 : at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: order.count - 1,
  };
  const target = targets[key];
  if (target === undefined) return undefined;
  const index = Math.min(order.count - 1, Math.max(0, target));
  const active = order.idAt(index);
  if (!shift) return { ...selection, active, anchor: active };
  const anchor = selection.anchor ?? order.idAt(Math.max(0, at));
  const from = Math.max(0, order.indexOf(anchor));
  return { chosen: new Set(range(order, from, index)), active, anchor };
}
