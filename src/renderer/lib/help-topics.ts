import type { HelpTopic } from './feature.ts';

const topics: HelpTopic[] = [];

/** Adds the help of a feature, in the order of the navigation. */
export function addHelp(added: readonly HelpTopic[]): void {
  topics.push(...added);
}

export function helpTopics(): readonly HelpTopic[] {
  return topics;
}

/** The topics of the open view, the most specific first. */
export function topicsOf(path: string): HelpTopic[] {
  return topics
    .filter(({ at }) => (at === '/' ? path === '/' : path === at || path.startsWith(`${at}/`)))
    .sort((a, b) => b.at.length - a.at.length);
}
