import { type MouseEvent, useRef, useState } from 'react';

/** Whether the pointer is over a row, and the handlers for an element around the list that tell it. */
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

/** Rows that stand still while the pointer is over one of them, so that what one is about to press does not move away. */
export function useSteady<T>(current: T) {
  const { isOver, handlers } = useOverRow();
  const last = useRef(current);
  if (!isOver) last.current = current;
  return { shown: last.current, isHeld: last.current !== current, handlers };
}
