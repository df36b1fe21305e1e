import { type MouseEvent, useRef, useState } from 'react';

/** Whether the pointer is over a row, and the handlers that detect it, for an element around the list. */
export function useOverRow() {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    handlers: {
      onMouseOver: ({ target }: MouseEvent) => setOver((target as Element).closest('[role="gridcell"]') !== null),
      onMouseLeave: () => setOver(false),
    },
  };
}

/** Keeps the rows unchanged while the pointer is over one of them, so that a row does not move away before a click. */
export function useSteady<T>(current: T) {
  const { isOver, handlers } = useOverRow();
  const last = useRef(current);
  if (!isOver) last.current = current;
  return { shown: last.current, isHeld: last.current !== current, handlers };
}
