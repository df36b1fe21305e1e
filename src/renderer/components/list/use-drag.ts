import { type DragEvent, useState } from 'react';

/** What a dragged row or tile carries: its id. */
const DRAGGED = 'application/x-planchet-row';

/**
 * Lets something be dragged to the place of another one like it.
 * @param movable whether it can be dragged, and be dropped on
 * @param onMove called with the id of what was dropped, and this one's
 * @returns what the element is given; `data-target` while something would be dropped on it
 */
export function useDrag(id: string, movable: boolean, onMove: (id: string, target: string) => void) {
  const [isTarget, setTarget] = useState(false);
  return {
    draggable: movable,
    'data-target': (isTarget && movable) || undefined,
    onDragStart: (event: DragEvent): void => {
      event.dataTransfer.setData(DRAGGED, id);
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragOver: (event: DragEvent): void => {
      if (!movable || !event.dataTransfer.types.includes(DRAGGED)) return;
      event.preventDefault();
      setTarget(true);
    },
    onDragLeave: (): void => setTarget(false),
    onDrop: (event: DragEvent): void => {
      setTarget(false);
      const dropped = event.dataTransfer.getData(DRAGGED);
      if (!movable || dropped === '') return;
      event.preventDefault();
      event.stopPropagation();
      if (dropped !== id) onMove(dropped, id);
    },
  };
}
