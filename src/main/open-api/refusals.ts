import { type ErrorEntry, type ErrorId, errorClasses, errorEntries } from '../../contract/index.ts';
import type { Answer, Content } from './parts.ts';

/**
 * The answers of refusals, by HTTP status, with the texts of the error catalogue.
 * @param ids entries of the catalogue
 * @param content form of each of these answers
 */
export function refusalAnswers(ids: readonly ErrorId[], content: Content): Record<string, Answer> {
  const texts = new Map<number, string[]>();
  for (const id of ids) {
    const { code, message, httpStatus = errorClasses[code].httpStatus }: ErrorEntry = errorEntries[id];
    texts.set(httpStatus, [...(texts.get(httpStatus) ?? []), message]);
  }
  const inOrder = [...texts].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    inOrder.map(([status, messages]) => [status, { description: [...new Set(messages)].join('\n'), content }]),
  );
}

/** Ids of the catalogue that begin with an area's name, such as `rest`. */
export function idsOf(area: string): ErrorId[] {
  return (Object.keys(errorEntries) as ErrorId[]).filter((id) => id.startsWith(`${area}.`));
}
