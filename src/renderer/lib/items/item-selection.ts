import { create } from 'zustand';

interface Selection {
  /** Chosen items by project; carried from the project's page into the mint wizard. */
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
