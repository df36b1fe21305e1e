import { create } from 'zustand';

export interface Draft {
  readonly text: string;
  /** Of the file that it was read from; empty where it was typed. */
  readonly name: string;
  /** A workbook, which is not text; null where there is none. */
  readonly workbook: File | null;
}

interface SendManyDraft extends Draft {
  change(draft: Draft): void;
}

/** The list of receivers as it was typed. It outlives the page, so that nothing is lost on another page. */
export const useSendManyDraft = create<SendManyDraft>((set) => ({
  text: '',
  name: '',
  workbook: null,
  change: (draft) => set(draft),
}));
