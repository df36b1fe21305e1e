import { os } from '../base.ts';

export const projects = {
  list: os.projects.list.handler(({ context }) => context.studio.listProjects()),
  create: os.projects.create.handler(({ context, input }) => context.studio.createProject(input)),
  get: os.projects.get.handler(({ context, input }) => context.studio.getProject(input)),
};
