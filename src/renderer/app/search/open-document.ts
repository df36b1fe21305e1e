import { inDesktop } from '../../api/client.ts';

/** Opens a page of the documents. The desktop has one window, which shows it and leads back. @param path below `/docs/`; empty for their first page */
export function openDocument(path: string): void {
  if (inDesktop) location.assign(`/docs/${path}`);
  else window.open(`/docs/${path}`, '_blank', 'noreferrer');
}
