import type { ReactNode } from 'react';
import type { Ranked } from './rank.ts';

export interface Entry extends Ranked {
  readonly id: string;
  /** What it is, in a word. */
  readonly kind?: string;
  readonly picture?: ReactNode;
  /** Where it opens; without it, `run` is done. */
  readonly to?: string;
  readonly run?: () => void;
  /** Leaves the search open. */
  readonly stays?: boolean;
}
