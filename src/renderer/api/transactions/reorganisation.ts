import { create } from 'zustand';
import type { Reorganisation } from '../../../contract/index.ts';

/** The last reorganisation reported since the page was opened. */
export const useReorganisation = create<{ last: Reorganisation | null }>(() => ({ last: null }));
