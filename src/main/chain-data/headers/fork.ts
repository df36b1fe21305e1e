import { PlanchetError, phrase } from '../../../contract/index.ts';
import type { HeaderFile } from './header-file.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused } from './header-window.ts';

/** Height of the last block that a source and the file share. @throws HeaderRefused where they share none */
export async function forkWith(source: HeaderSource, file: HeaderFile, top: number): Promise<number> {
  const isShared = async (height: number): Promise<boolean> => (await source.hashAt(height)) === file.hashAt(height);
  if (top < file.lowest)
    throw new PlanchetError('chain.source-of-no-use', { reason: phrase('reason.no-block-above', { height: top }) });
  let differs = Math.min(top, file.count - 1) + 1;
  let shared = differs - 1;
  for (let step = 1; !(await isShared(shared)); step *= 2) {
    if (shared <= file.lowest) throw new HeaderRefused(phrase('reason.other-first-block'));
    differs = shared;
    shared = Math.max(file.lowest, shared - step);
  }
  while (differs - shared > 1) {
    const middle = Math.floor((shared + differs) / 2);
    if (await isShared(middle)) shared = middle;
    else differs = middle;
  }
  return shared;
}
