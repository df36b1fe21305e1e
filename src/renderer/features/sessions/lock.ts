import { client } from '../../api/client.ts';

/** Ends the session of this page. What it showed is dropped with the page; a new link opens it again. */
export async function lockPage(): Promise<void> {
  await client.sessions.lock();
  location.reload();
}
