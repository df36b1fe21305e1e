import { type Phrase, phrase, phraseText } from '../phrases/phrase.ts';
import type { ReviewCheck, reviewCheckIds } from './review.ts';

/** Differences listed by one check; further ones are counted. */
const MOST_TOLD = 3;

/**
 * One check of a review: it passes if nothing differs.
 * @param differences what differs, each as a sentence
 * @param passed the sentence of the check if nothing differs
 */
export function reviewCheck(
  id: (typeof reviewCheckIds)[number],
  differences: readonly Phrase[],
  passed: Phrase,
): ReviewCheck {
  const isPassed = differences.length === 0;
  const more = differences.length - MOST_TOLD;
  const sentences = isPassed
    ? [passed]
    : [...differences.slice(0, MOST_TOLD), ...(more > 0 ? [phrase('review.more', { count: more })] : [])];
  return { id, passed: isPassed, text: sentences.map((sentence) => phraseText(sentence)).join(' '), sentences };
}

/**
 * Combines the same check of several transactions: it states the results of each if they differ, and only those of the failed ones if it failed.
 * @param checks with the same id
 */
export function mergedCheck(checks: readonly [ReviewCheck, ...ReviewCheck[]]): ReviewCheck {
  const failed = checks.filter(({ passed }) => !passed);
  const told = [...new Map((failed.length > 0 ? failed : checks).map((check) => [check.text, check])).values()];
  return {
    id: checks[0].id,
    passed: failed.length === 0,
    sentences: told.flatMap(({ sentences }) => sentences ?? []),
    text: told.map(({ text }) => text).join(' '),
  };
}
