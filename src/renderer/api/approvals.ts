import { useQuery } from '@tanstack/react-query';
import { create } from 'zustand';
import type { Approval } from '../../contract/index.ts';
import { api } from './client.ts';

const none: readonly Approval[] = [];

/** Pending approval requests of other programs, oldest first, kept current by live events. */
export function useWaitingApprovals(): readonly Approval[] {
  return useQuery(api.approvals.list.queryOptions()).data?.waiting ?? none;
}

/** Whether the sheet of pending requests is open. */
export const useApprovalSheet = create<{ opened: boolean }>(() => ({ opened: false }));

export function openApprovals(): void {
  useApprovalSheet.setState({ opened: true });
}
