import { addressNetwork, ChainError, decodeAddress, feeFor, feeWithRoom, satoshis } from '../../../chain/index.ts';
import {
  type Failure,
  MAX_ROYALTIES,
  type MintEstimate,
  type Network,
  PlanchetError,
  phrase,
  type QuoteSource,
  toFailure,
} from '../../../contract/index.ts';
import type { FeeQuote, FeeRate } from '../../ports/merchant/merchant.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { CoinsFrom, MintWallet } from '../../ports/wallet.ts';
import { metadataOf } from '../projects/item-rows.ts';
import { checkRoyalties, protocolMetadataOf } from '../projects/metadata.ts';
import type { ProjectStore } from '../projects/projects.ts';
import type { FindRepeats } from '../projects/repeats.ts';
import type { ItemRow } from '../tables.ts';
import { mintSizes, type TokenSize } from './size.ts';
import type { StepContext } from './steps/step-context.ts';

/** A usual rate, shown while no miner can be asked. */
const USUAL_RATE: FeeRate = { satoshis: 500, bytes: 1_000 };
/** As long as every collection id is. */
export const SAMPLE_COLLECTION = `${'0'.repeat(64)}_0`;

export interface EstimatorOptions extends Pick<StepContext, 'network' | 'settings' | 'wallet' | 'merchant' | 'items'> {
  projects: Pick<ProjectStore, 'keeper' | 'isDirect'>;
  repeats: FindRepeats;
}

/** The conditions of a mint now; `problems` prevent it. */
export interface Circumstances {
  rate: FeeRate;
  /** null while nobody quotes a rate. */
  quote: QuoteSource | null;
  quotaAvailable: number | null;
  problems: Failure[];
}

/** Estimates the cost of a mint and finds what prevents it. */
export class Estimator {
  readonly #options: EstimatorOptions;

  constructor(options: EstimatorOptions) {
    this.#options = options;
  }

  /** @throws PlanchetError `not-found` for an unknown item; everything else that prevents the mint is in `problems`. */
  async estimate(input: { itemIds: readonly string[]; destination: string }): Promise<MintEstimate> {
    const { wallet, settings, items } = this.#options;
    const rows = await items.rows(input.itemIds);
    const problems = [
      ...addressProblems(input.destination, this.#options.network),
      ...(await this.requireMintable(rows).then(
        () => [],
        (error: unknown) => [toFailure(error)],
      )),
      ...walletProblems(wallet),
    ];
    const { standard: rate } = await this.#quote(problems);
    const direct = rows[0] !== undefined && (await this.#options.projects.isDirect(rows[0].project_uid));
    const sizeOf = mintSizes(tokenSizes(rows, SAMPLE_COLLECTION, mayBeBase64(settings, direct)));
    const feeOf = (inputs: number) => feeWithRoom(sizeOf(inputs), rate);
    const from = coinsFor(direct);
    const size = sizeOf(wallet.inputsFor(satoshis(rows.length), feeOf, from));
    const fee = feeFor(size, rate);
    const spendable = wallet.worth(feeOf, from);
    const needed = feeWithRoom(size, rate) + rows.length;
    if (wallet.status().state === 'ready' && spendable < needed)
      problems.push(tooLittleMoney(needed, spendable, wallet.worth(feeOf), wallet.setAside()));
    const { maxFeeSatoshis } = settings.current();
    if (fee > maxFeeSatoshis) problems.push(feeTooHigh(fee, maxFeeSatoshis));
    const quotaAvailable = direct ? null : await this.#quota(rows.length, problems);
    const [tokens, royalties] = [rows.length, royaltiesIn(rows).slice(0, MAX_ROYALTIES)];
    const repeats = await this.#options.repeats({ itemIds: input.itemIds });
    return { tokens, direct, size, fee, total: fee + tokens, spendable, quotaAvailable, royalties, repeats, problems };
  }

  /**
   * The conditions of a mint to this address, whatever is minted: the live quote, the quota, and what prevents it.
   * @param tokens that the token service is to mint; 0 where it is not used, so that it is not asked
   */
  async circumstances(destination: string, tokens: number): Promise<Circumstances> {
    const { network, wallet } = this.#options;
    const problems = [...addressProblems(destination, network), ...walletProblems(wallet)];
    const { standard, source } = await this.#quote(problems);
    const quotaAvailable = tokens === 0 ? null : await this.#quota(tokens, problems);
    return { rate: standard, quote: source ?? null, quotaAvailable, problems };
  }

  async #quote(problems: Failure[]): Promise<Pick<FeeQuote, 'standard' | 'source'>> {
    try {
      return await this.#options.merchant.feeQuote();
    } catch (error) {
      problems.push(toFailure(error));
      return { standard: USUAL_RATE };
    }
  }

  async #quota(tokens: number, problems: Failure[]): Promise<number | null> {
    try {
      const quota = await this.#options.projects.keeper().quota();
      if (quota === null) return null;
      const { available: left, endDate } = quota;
      // The rest is negative if the limit was lowered below what is used up.
      const available = Math.max(0, left);
      if (available < tokens) {
        const values = { available, endDate, tokens };
        problems.push(new PlanchetError('mint.quota-exceeded', values, { detail: { available } }).toFailure());
      }
      return available;
    } catch (error) {
      problems.push(toFailure(error));
      return null;
    }
  }

  /** @throws PlanchetError `invalid-input` | `conflict` where these items cannot be minted in one transaction now */
  async requireMintable(rows: readonly ItemRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined || new Set(rows.map(({ id }) => id)).size !== rows.length) {
      throw new PlanchetError('mint.no-tokens');
    }
    if (rows.some(({ project_uid }) => project_uid !== first.project_uid)) {
      throw new PlanchetError('mint.several-projects');
    }
    if (rows.some(({ state, job_id }) => state !== 'draft' || job_id !== null)) {
      throw new PlanchetError('mint.already-minted');
    }
    const shared = new Set(await this.#options.items.sharedNumbers(first.project_uid));
    if (shared.size > 0) {
      const number = rows.map((row) => metadataOf(row).mintNumber).find((own) => own !== undefined && shared.has(own));
      if (number !== undefined) throw new PlanchetError('mint.number-taken', { number });
    }
    checkRoyalties(royaltiesIn(rows), this.#options.network);
    const needsCollection = rows.some(({ sub_type }) => sub_type === 'collectionItem');
    if (needsCollection && (await this.#options.items.collectionId(first.project_uid)) === undefined) {
      throw new PlanchetError('mint.collection-not-minted');
    }
  }
}

/** Whether a service may inscribe the base64 text of files in place of them. @param direct whether the tokens are minted without it */
export function mayBeBase64(settings: SettingsView, direct: boolean): boolean {
  return !direct && settings.current().base64Content === 'accept';
}

/**
 * What a mint of these items weighs.
 * @param collectionId of the collection, for its items
 * @param inBase64 whether the tokens hold the base64 text of their files
 */
export function tokenSizes(rows: readonly ItemRow[], collectionId: string | undefined, inBase64 = false): TokenSize[] {
  return rows.map((row) => ({
    contentType: row.content_type,
    bytes: inBase64 ? 4 * Math.ceil(Number(row.bytes) / 3) : Number(row.bytes),
    metadata: protocolMetadataOf(row, collectionId),
  }));
}

/** Shares of later sales that any of these items names, each once. */
export function royaltiesIn(rows: readonly ItemRow[]): MintEstimate['royalties'] {
  const found = new Map<string, MintEstimate['royalties'][number]>();
  for (const row of rows) {
    // Few items have any, and plans of thousands of items are made often.
    if (!row.metadata.includes('"royalties"')) continue;
    for (const royalty of metadataOf(row).royalties ?? []) found.set(JSON.stringify(royalty), royalty);
  }
  return [...found.values()];
}

/** Why tokens cannot go to this address, if so. */
function addressProblems(address: string, network: Network): Failure[] {
  try {
    const wanted = addressNetwork(network);
    if (decodeAddress(address).network === wanted) return [];
    const other = wanted === 'main' ? phrase('reason.test-network') : phrase('reason.main-network');
    return [new PlanchetError('mint.address-wrong-network', { there: other, network }).toFailure()];
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return [new PlanchetError('mint.address-invalid', { reason: error.sentence }).toFailure()];
  }
}

function walletProblems(wallet: MintWallet): Failure[] {
  const { state, network } = wallet.status();
  if (state === 'ready') return [];
  const problem =
    state === 'locked' ? new PlanchetError('mint.wallet-locked') : new PlanchetError('wallet.missing', { network });
  return [problem.toFailure()];
}

/** A token service builds transactions from coins of one key. */
export function coinsFor(direct: boolean): CoinsFrom {
  return direct ? 'all' : 'main';
}

/**
 * @param everywhere satoshis of the coins at all addresses, where those of the main address alone may pay
 * @param aside satoshis that cannot be spent now, see {@link MintWallet.setAside}
 */
export function tooLittleMoney(needed: number, spendable: number, everywhere: number, aside: number): Failure {
  const detail = { detail: { needed, spendable } };
  if (everywhere >= needed)
    return new PlanchetError('wallet.funds-elsewhere', { needed, spendable }, detail).toFailure();
  if (everywhere + aside >= needed)
    return new PlanchetError('wallet.funds-set-aside', { needed, spendable, aside }, detail).toFailure();
  return new PlanchetError('mint.funds-insufficient', { needed, spendable }, detail).toFailure();
}

export function feeTooHigh(fee: number, limit: number): Failure {
  return new PlanchetError('mint.fee-too-high', { fee, limit }, { detail: { fee, limit } }).toFailure();
}
