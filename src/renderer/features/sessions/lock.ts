import { client } from '../../api/client.ts';

/** Ends the session of this page and reloads it, which drops what it showed. A new link opens it again. */
export async function lockPage(): Promise<void> {
  await client.sessions.lock();
  location.reload();
}
