import type { ReactNode } from 'react';
import type { Ranked } from './rank.ts';

export interface Entry extends Ranked {
  readonly id: string;
  /** The kind of thing, such as a block. */
  readonly kind?: string;
  readonly picture?: ReactNode;
  /** The address to open; without it, `run` is called. */
  readonly to?: string;
  readonly run?: () => void;
  /** Keeps the search open. */
  readonly stays?: boolean;
}
