import type { NodeCommand } from '../../../contract/index.ts';
import type { LocalHandler } from './local-handlers.ts';

export interface Parameter {
  /** Every name the node accepts for it, the usual one first. */
  readonly names: readonly [string, ...string[]];
  /** How `help` writes it. Quotes mean text, brackets or braces mean JSON; the console's form reads its fields from this. */
  readonly usage: string;
  readonly required: boolean;
}

/** How long an answer may be served again. */
export type CachePolicy =
  /** While its block is on the main chain, or for ever if its content proves it. */
  | 'content'
  /** Until the next block, but no longer than `gatewayShareFor`. */
  | 'tip'
  | 'none';

/** How an answer of policy `content` names the block it depends on; each rule is implemented once, in cache/cache-entry.ts. */
export type ContentRule =
  | 'block'
  | 'block-by-height'
  | 'hash-at-height'
  | 'stats'
  | 'stats-by-height'
  | 'transaction'
  | 'txout-proof'
  | 'merkle-proof'
  | 'tsc-proof';

/** What an answer says about the tip; each kind is read once, in rpc/tip-guard.ts. */
type TipEvidence = 'height' | 'hash' | 'header' | 'target' | 'transaction' | 'blocks' | 'bestblock';

type HelpCategory = 'Blockchain' | 'Control' | 'Generating' | 'Network' | 'Rawtransactions';

export interface MethodHelp {
  readonly category: HelpCategory;
  readonly parameters: readonly Parameter[];
  /** How many parameters the node takes, where it reads fewer. */
  readonly taken?: number;
  readonly summary: string;
}

/** Everything the gateway knows about one command it serves. What is left out is false, `none` or nothing. */
export interface MethodRow extends MethodHelp {
  /**
   * What an answer rests on where no node gives it: `proven`, on hashes and the verified headers or on nothing but the question; `agreed`, on two
   * operators; `told`, on one; `none`: only a node can tell.
   */
  readonly withoutNode: NodeCommand['withoutNode'];
  readonly cache?: { readonly policy: 'tip' } | { readonly policy: 'content'; readonly rule: ContentRule };
  readonly tip?: TipEvidence;
  /** The node answers from memory or with one index lookup, and briefly: waiting calls may share one upstream request. */
  readonly batched?: boolean;
  /** The answer does not depend on the chain, so an upstream that is behind may give it. */
  readonly chainless?: boolean;
  /** A parameter holds a whole transaction, script or proof, so it may be of any size. */
  readonly largeParameters?: boolean;
  /** Answers without asking an upstream. */
  readonly local?: LocalHandler;
}

/** A command of a node that the gateway does not serve. */
export interface RefusedRow {
  /** It puts something on the chain; the refusal points to the merchant API. */
  readonly sends?: boolean;
  /** Listed by `help`, because the sandbox's node serves it. */
  readonly help?: MethodHelp;
}

/** @param names alternatives separated by `|`, the usual one first */
export function value(names: string, usage?: string): Parameter {
  const list = names.split('|') as [string, ...string[]];
  return { names: list, usage: usage ?? list[0], required: true };
}

export function text(names: string): Parameter {
  return value(names, `"${names.split('|')[0]}"`);
}

export function optional(parameter: Parameter): Parameter {
  return { ...parameter, required: false };
}
