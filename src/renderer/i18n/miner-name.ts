import { DEFAULT_MINER_NAME } from '../../contract/miners/default-miner.ts';
import { sentenceInPageLanguage } from './errors.ts';

/** A miner's name as the page shows it: the built-in one is called in the language of the page, others as a person named them. */
export function shownMinerName(name: string): string {
  return name === DEFAULT_MINER_NAME ? sentenceInPageLanguage(name) : name;
}
