import { IconCheck } from '@tabler/icons-react';
import classes from './tile-mark.module.css';

/** Checkbox of a tile. It is visible while the pointer or the keyboard is on the tile, and on all tiles while one is selected. The tile has the accessible name and state. */
export function TileMark({ chosen }: { chosen: boolean }) {
  return (
    <span className={classes.mark} data-mark aria-hidden>
      {chosen && <IconCheck size={14} stroke={2.5} />}
    </span>
  );
}
