import type { ReactNode } from 'react';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import classes from './sandbox.module.css';
import type { Action } from './use-action.ts';

/** The result of an action, next to its button. */
export function Outcome<T>({ action, children }: { action: Action<T>; children?: (result: T) => ReactNode }) {
  if (action.failure !== undefined) return <FailureNote failure={action.failure} />;
  if (action.result === undefined || children === undefined) return null;
  return (
    <div role="status" className={classes.hint}>
      {children(action.result)}
    </div>
  );
}
