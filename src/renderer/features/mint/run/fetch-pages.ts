import { MAX_RUN_ITEMS_A_PAGE, type RunItem } from '../../../../contract/index.ts';

interface RunItemPage {
  items: readonly RunItem[];
  /** Offset of the next page; null after the last. */
  next: number | null;
}

/** Every token of a run or a rehearsal, page after page. */
export async function fetchPages(
  read: (page: { offset: number; limit: number }) => Promise<RunItemPage>,
): Promise<RunItem[]> {
  const all: RunItem[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: RunItemPage = await read({ offset, limit: MAX_RUN_ITEMS_A_PAGE });
    all.push(...page.items);
    offset = page.next;
  }
  return all;
}
