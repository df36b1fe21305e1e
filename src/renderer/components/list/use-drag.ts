import { type DragEvent, useState } from 'react';

/** Data type of a drag: the id of the row or tile. */
const DRAGGED = 'application/x-planchet-row';

/**
 * Drag and drop of an element onto another one of its kind.
 * @param movable whether it can be dragged and be a drop target
 * @param onMove called with the id of the dropped element and this one's
 * @returns attributes of the element, with `data-target` while a drop on it is possible
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
