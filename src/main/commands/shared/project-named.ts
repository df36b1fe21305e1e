import { PlanchetError, type Project } from '../../../contract/index.ts';
import type { Client } from './run.ts';

/** The project with this id or name. @throws PlanchetError `not-found`, `conflict` where several have the name */
export async function projectNamed(client: Client, name: string): Promise<Project> {
  const project = amongProjects(await client.projects.list(), name);
  if (project === undefined) throw new PlanchetError('bundle.project-unknown', { name });
  return project;
}

/** The one with this id or name, if there is one. @throws PlanchetError `conflict` where several have the name */
export function amongProjects(projects: readonly Project[], name: string): Project | undefined {
  const withId = projects.find(({ uid }) => uid === name);
  if (withId !== undefined) return withId;
  const named = projects.filter((project) => project.name === name);
  if (named.length > 1)
    throw new PlanchetError('bundle.project-ambiguous', { name, uids: named.map(({ uid }) => uid).join(', ') });
  return named[0];
}
