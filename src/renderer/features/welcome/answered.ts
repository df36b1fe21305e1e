import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';

/** The question is not asked again. If that cannot be saved, the next start asks once more. */
export function answered(): void {
  const { app } = useLive.getState();
  if (app?.firstStart !== true) return;
  useLive.setState({ app: { ...app, firstStart: false } });
  void client.app.welcomed().catch(() => {});
}
