import { inDesktop } from './client.ts';

/** A heading of the documents, as their build lists it. */
export interface DocumentHeading {
  /** File and anchor below `/docs/`. */
  readonly at: string;
  readonly text: string;
  /** Title of its page. */
  readonly page: string;
  /** The section of the document list that its page belongs to. */
  readonly section: string;
}

/** Empty if the documents are not built. */
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

/** Properties of a link to a document. In the desktop app the one window shows it, with a link back. @param path below `/docs/`; empty for the first page */
export const documentLink = (path: string) => ({
  href: `/docs/${path}`,
  ...(!inDesktop && { target: '_blank', rel: 'noreferrer' }),
});

/** Opens a page of the documents as a link to it would. */
export function openDocument(path: string): void {
  if (inDesktop) location.assign(`/docs/${path}`);
  else window.open(`/docs/${path}`, '_blank', 'noreferrer');
}
