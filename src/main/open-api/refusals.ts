import { type ErrorEntry, type ErrorId, errorClasses, errorEntries } from '../../contract/index.ts';
import type { Answer, Content } from './parts.ts';

/**
 * Error responses by HTTP status, with the texts of the error catalogue.
 * @param ids entries of the catalogue
 * @param content form of each of these answers
 */
export function refusalAnswers(ids: readonly ErrorId[], content: Content): Record<string, Answer> {
  const entries = ids.map((id): ErrorEntry => errorEntries[id]);
  const byStatus = Map.groupBy(entries, ({ code, httpStatus = errorClasses[code].httpStatus }) => httpStatus);
  const inOrder = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    inOrder.map(([status, refused]) => [
      status,
      { description: [...new Set(refused.map(({ message }) => message))].join('\n'), content },
    ]),
  );
}

/** Ids of the catalogue that begin with an area's name, such as `rest`. */
export function idsOf(area: string): ErrorId[] {
  return (Object.keys(errorEntries) as ErrorId[]).filter((id) => id.startsWith(`${area}.`));
}
