import type { StudioParts } from '../../parts.ts';
import { ItemStore } from '../items.ts';
import { Bin } from './bin.ts';
import { ChangeLog } from './change-log.ts';
import { ItemChanges } from './item-changes.ts';

/** The items of a network's projects, with their bulk changes, the change log and the bin. */
export function createItems(options: StudioParts) {
  const bin = new Bin(options);
  const log = new ChangeLog({ ...options, bin });
  const items = new ItemStore({ ...options, bin, log });
  return { bin, log, items, changes: new ItemChanges({ ...options, items, log }) };
}
