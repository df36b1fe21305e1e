import { IconCheck } from '@tabler/icons-react';
import classes from './tile-mark.module.css';

/** What a tile is chosen with: seen while the pointer or the keyboard is on it, and on all tiles while one is chosen. The tile has the name and the state. */
export function TileMark({ chosen }: { chosen: boolean }) {
  return (
    <span className={classes.mark} data-mark aria-hidden>
      {chosen && <IconCheck size={14} stroke={2.5} />}
    </span>
  );
}
