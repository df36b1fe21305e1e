import { existsSync } from 'node:fs';
import type { ElectronApi } from '../electron-api.ts';
import { fill, type Texts } from '../texts/texts.ts';
import type { StartRecord } from './start-record.ts';

export interface RollbackOptions {
  readonly electron: Pick<ElectronApi, 'dialog' | 'shell'>;
  readonly version: string;
  readonly texts: Texts;
}

/** Notes a start, and offers the previous version where this one did not start twice. @returns whether the person goes back to it */
export async function goesBack(
  starts: StartRecord,
  { electron, version, texts: t }: RollbackOptions,
): Promise<boolean> {
  const rollback = starts.begin();
  if (rollback === undefined) return false;
  const { previous } = rollback;
  // It may have been deleted.
  const installer = rollback.installer !== null && existsSync(rollback.installer) ? rollback.installer : null;
  const { response } = await electron.dialog.showMessageBox({
    type: 'warning',
    message: fill(t.rollback, { version }),
    detail: fill(installer === null ? t.rollbackByHand : t.rollbackDetail, { previous }),
    buttons: installer === null ? [t.goOn] : [t.goOn, fill(t.rollbackInstall, { previous })],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  // If the installer was deleted meanwhile, the start goes on.
  return response === 1 && installer !== null && (await electron.shell.openPath(installer)) === '';
}
