import { create } from 'zustand';
import type { Network } from '../../../contract/index.ts';
import { emptyLiveState, type LiveState } from './live-state.ts';

export const useLive = create<LiveState>(() => emptyLiveState);

/** The network in use; the sandbox until the host has replied. */
export function useNetwork(): Network {
  return useLive((state) => state.app?.network ?? 'sandbox');
}
