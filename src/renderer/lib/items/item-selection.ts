import { create } from 'zustand';

interface Selection {
  /** Selected items by project. Passed from the project's page to the mint wizard. */
  byProject: Readonly<Record<string, readonly string[]>>;
  set(projectUid: string, ids: readonly string[]): void;
}

export const useSelection = create<Selection>((set) => ({
  byProject: {},
  set: (projectUid, ids) => set((state) => ({ byProject: { ...state.byProject, [projectUid]: ids } })),
}));

const none: readonly string[] = [];

export function useSelectedItems(projectUid: string): readonly string[] {
  return useSelection((state) => state.byProject[projectUid] ?? none);
}
