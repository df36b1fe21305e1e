import { randomUUID } from 'node:crypto';
import { PlanchetError, type Project, type Quota } from '../../../contract/index.ts';
import type { RemoteProject } from './api-replies.ts';

/** The only protocol of tokens here (spec 2.1). */
export const TOKEN_PROTOCOL = 'OneSatOrdinal';

/** Who has projects: a token service, or this computer. Items and files are stored here in both cases. */
export interface ProjectKeeper {
  /** Its name for people; null for this computer, and for a token service without an address. */
  readonly name: string | null;
  /** @returns the id of the new project */
  createProject(project: { name: string; type: Project['type'] }): Promise<string>;
  /** Projects that may have been made or renamed elsewhere. */
  listProjects(): Promise<Omit<RemoteProject, 'type'>[]>;
  /** @throws PlanchetError `not-found` | `rejected` */
  getProject(uid: string): Promise<RemoteProject>;
  /** What may still be minted; null where there is no limit. */
  quota(): Promise<Quota | null>;
}

/** Keeps projects on this computer alone: what the studio stores of them is all there is. */
export const thisComputer: ProjectKeeper = {
  name: null,
  createProject: async () => randomUUID(),
  listProjects: async () => [],
  getProject: async () => {
    throw new PlanchetError('mint.project-missing');
  },
  quota: async () => null,
};
