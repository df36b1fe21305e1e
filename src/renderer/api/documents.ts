import { inDesktop } from './client.ts';

/** A heading of the documents, as their build lists it. */
export interface DocumentHeading {
  /** File and anchor below `/docs/`. */
  readonly at: string;
  readonly text: string;
  /** Title of its page. */
  readonly page: string;
  /** What its page stands under in the list of documents. */
  readonly section: string;
}

/** Nothing where the documents are not built. */
async function read({ signal }: { signal: AbortSignal }): Promise<readonly DocumentHeading[]> {
  const answer = await fetch('/docs/headings.json', { signal });
  return answer.ok ? ((await answer.json()) as readonly DocumentHeading[]) : [];
}

/** The query for all headings, in the order of the list of documents. */
export const documentHeadings = {
  queryKey: ['documents', 'headings'],
  queryFn: read,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
};

/** What makes a link to a document: the desktop has one window, which shows it and leads back. @param path below `/docs/`; empty for their first page */
export const documentLink = (path: string) => ({
  href: `/docs/${path}`,
  ...(!inDesktop && { target: '_blank', rel: 'noreferrer' }),
});

/** Opens a page of the documents, as its link does. */
export function openDocument(path: string): void {
  if (inDesktop) location.assign(`/docs/${path}`);
  else window.open(`/docs/${path}`, '_blank', 'noreferrer');
}
