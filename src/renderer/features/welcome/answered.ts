import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';

/** Marks the question as answered. If saving fails, it is asked again at the next start. */
export function answered(): void {
  const { app } = useLive.getState();
  if (app?.firstStart !== true) return;
  useLive.setState({ app: { ...app, firstStart: false } });
  void client.app.welcomed().catch(() => {});
}
