import {
  addressNetwork,
  decodeAddress,
  encodeAddress,
  equalBytes,
  exceededCaps,
  type FeeCaps,
  feeFor,
  formatOutpoint,
  fromHex,
  hash160,
  isRateAbove,
  leadingP2pkh,
  OWN_FEE_TOLERANCE,
  parseP2pkh,
  parseTx,
  type Rate,
  type TxOutput,
  toHex,
} from '../../chain/index.ts';
import {
  type Network,
  type Phrase,
  phrase,
  type QuoteSource,
  quoteSignerPhrase,
  type ReviewCheck,
  reviewCheck,
  type TokenRequest,
  type TokenReview,
} from '../../contract/index.ts';
import { type DecodedToken, decodeContract, decodeToken } from '../../token/index.ts';
import { digestOf, plainOutputs } from '../transaction-jobs/review-parts.ts';
import { type Draft, spentByRequest, supplyOf } from './build.ts';

export interface ReviewContext {
  readonly network: Network;
  readonly rate: Rate;
  /** Who quoted the rate. */
  readonly source?: QuoteSource | undefined;
  readonly caps: FeeCaps;
  /** The wallet's own public key: it pays, gets the change, and issues. */
  readonly publicKey: Uint8Array;
  /** Held for this request alone, by outpoint. */
  readonly held: ReadonlySet<string>;
  /** Why a spent token is not genuine; undefined if each leads back to a contract of its issuer. */
  readonly history: Phrase | undefined;
}

/** An output that the transaction must have. */
interface Expected {
  readonly satoshis: number;
  readonly what: Phrase;
  /** Whether the output is not the expected one. */
  differs(output: TxOutput): boolean;
}

/**
 * Decodes the unsigned transaction from its bytes and compares it with the request. It does not rely on the builder: amounts, owners, rules and
 * change are read from the scripts.
 */
export function reviewDraft(request: TokenRequest, draft: Draft, context: ReviewContext): TokenReview {
  const bytes = fromHex(draft.unsigned.hex);
  const tx = parseTx(bytes);
  const addresses = addressNetwork(context.network);
  const addressOf = (script: Uint8Array): string | null => {
    const hash = leadingP2pkh(script);
    return hash ? encodeAddress(hash, addresses) : null;
  };
  const issuer = hash160(context.publicKey);
  const spentTokens = draft.spent.flatMap((utxo) => decodeToken(utxo.lockingScript) ?? []);
  const redemption = spentTokens[0]?.redemption ?? issuer;
  const expected = expectedOutputs(request, draft, { issuer, kind: spentTokens[0] });
  const own = context.publicKey;

  const amount = (list: readonly { satoshis: number }[]): number => list.reduce((sum, one) => sum + one.satoshis, 0);
  const put = amount(draft.spent);
  const out = amount(tx.outputs);
  const fee = put - out;
  const isContract = (script: Uint8Array): boolean => decodeContract(script) !== undefined;
  const isToken = (script: Uint8Array): boolean => decodeToken(script) !== undefined || isContract(script);
  const tokensIn = amount(draft.spent.filter(({ lockingScript }) => isToken(lockingScript)));
  const tokensOut = amount(tx.outputs.filter(({ script }) => isToken(script)));
  const redeemed = request.action === 'redeem' || request.action === 'redeemSplit' ? (tx.outputs[0]?.satoshis ?? 0) : 0;
  const size = draft.unsigned.estimatedSize;
  const price = feeFor(size, context.rate);

  const checks: ReviewCheck[] = [
    reviewCheck(
      'version',
      tx.version === 1 ? [] : [phrase('review.version.malleable', { version: tx.version })],
      phrase('review.version'),
    ),
    inputCheck(request, draft, tx.inputs.map(formatOutpoint), context.held),
    reviewCheck(
      'outputs',
      expected.flatMap((wanted, index) => {
        const output = tx.outputs[index];
        return !output || output.satoshis !== wanted.satoshis || wanted.differs(output)
          ? [phrase('review.outputs.not-expected', { output: index, what: wanted.what })]
          : [];
      }),
      phrase('review.outputs.expected', { what: expected.map(({ what }) => what) }),
    ),
    reviewCheck(
      'change',
      changeFaults(tx.outputs.slice(expected.length), own),
      tx.outputs.length > expected.length ? phrase('review.change.left') : phrase('review.change.nothing'),
    ),
    request.action === 'contract'
      ? reviewCheck(
          'supply',
          tokensOut === supplyOf(request)
            ? []
            : [phrase('review.supply.contract-other', { satoshis: tokensOut, asked: supplyOf(request) })],
          phrase('review.supply.contract', { satoshis: tokensOut }),
        )
      : reviewCheck(
          'supply',
          tokensIn === tokensOut + redeemed
            ? []
            : [phrase('review.supply.other', { in: tokensIn, out: tokensOut, redeemed })],
          redeemed > 0
            ? phrase('review.supply.redeemed', { in: tokensIn, out: tokensOut, redeemed })
            : phrase('review.supply', { in: tokensIn, out: tokensOut }),
        ),
    reviewCheck(
      'fee-minimum',
      fee >= price ? [] : [phrase('review.fee-minimum.not-asked', { fee, price })],
      phrase('review.fee-minimum.asked', { fee, bytes: size }),
    ),
    reviewCheck(
      'fee-maximum',
      fee <= Math.ceil(price * OWN_FEE_TOLERANCE) + 1 ? [] : [phrase('review.fee-maximum.more', { fee, price })],
      phrase('review.fee-maximum.exact'),
    ),
    reviewCheck(
      'fee-limit',
      [
        ...feeFaults({ fee, size }, context.caps),
        ...(isRateAbove(context.rate, context.caps.maxFeeRate)
          ? [phrase('review.fee-limit.asked', { rate: context.caps.maxFeeRate })]
          : []),
      ],
      phrase('review.fee-limit.both', { limit: context.caps.maxFeeSatoshis, rate: context.caps.maxFeeRate }),
    ),
    ...(context.source === undefined ? [] : [reviewCheck('quote-signer', [], quoteSignerPhrase(context.source))]),
  ];
  if (spentTokens.length > 0) {
    checks.push(
      reviewCheck(
        'history',
        context.history === undefined ? [] : [phrase('review.history.not-genuine', { why: context.history })],
        phrase('review.history'),
      ),
    );
  }
  return {
    digest: digestOf(bytes),
    ok: checks.every(({ passed }) => passed),
    checks,
    inputs: draft.spent.map(({ txid, vout, satoshis, lockingScript }) => ({
      txid,
      vout,
      satoshis,
      address: addressOf(lockingScript),
    })),
    outputs: plainOutputs(tx.outputs, addressOf, (script, index) =>
      kindOf(script, index, { redeemed, redemption, expected: expected.length, own }),
    ),
    fee: Math.max(0, fee),
    size,
    destination: addressOf(tx.outputs[0]?.script ?? new Uint8Array(0)) ?? '',
    network: context.network,
    ...(context.source === undefined ? {} : { quote: context.source }),
    symbol: draft.symbol,
    tokensIn: request.action === 'contract' ? 0 : tokensIn,
    tokensOut,
    redeemed,
  };
}

/** Why a fee is above what the settings allow. @param size bytes of the signed transaction, as estimated */
export function feeFaults({ fee, size }: { fee: number; size: number }, caps: FeeCaps): Phrase[] {
  return exceededCaps(fee, size, caps).map(({ setting, limit }) =>
    setting === 'maxFeeSatoshis'
      ? phrase('review.fee-limit.above', { fee, limit })
      : phrase('review.fee-rate.above', { fee, most: limit, rate: caps.maxFeeRate }),
  );
}

/** The named tokens, each held for this request; all other inputs are plain coins of the wallet. */
function inputCheck(
  request: TokenRequest,
  draft: Draft,
  inputs: readonly string[],
  held: ReadonlySet<string>,
): ReviewCheck {
  const wanted = spentByRequest(request).map(formatOutpoint);
  const faults = [
    ...wanted.flatMap((outpoint, i) =>
      inputs[i] === outpoint ? [] : [phrase('review.inputs.not-spent-by', { input: i, outpoint })],
    ),
    ...inputs.flatMap((outpoint, i) => {
      const utxo = draft.spent[i];
      if (!utxo || formatOutpoint(utxo) !== outpoint) return [phrase('review.inputs.input-not-chosen', { input: i })];
      if (!held.has(outpoint)) return [phrase('review.inputs.input-not-held', { input: i, outpoint })];
      const isPayment = i >= wanted.length;
      return isPayment && parseP2pkh(utxo.lockingScript) === undefined
        ? [phrase('review.inputs.token-as-money', { input: i })]
        : [];
    }),
    ...(new Set(inputs).size === inputs.length ? [] : [phrase('review.inputs.output-twice')]),
  ];
  const count = inputs.length - wanted.length;
  return reviewCheck(
    'inputs',
    faults,
    wanted.length === 0
      ? phrase(count === 1 ? 'review.inputs.only-coin' : 'review.inputs.only-coins', { count })
      : phrase(count === 1 ? 'review.inputs.chosen-and-coin' : 'review.inputs.chosen-and-coins', { count }),
  );
}

function changeFaults(rest: readonly TxOutput[], own: Uint8Array): Phrase[] {
  if (rest.length > 1) return [phrase('review.change.outputs', { count: rest.length - 1 })];
  return rest.flatMap(({ script }) => {
    const hash = parseP2pkh(script);
    return hash && equalBytes(hash, hash160(own)) ? [] : [phrase('review.change.left-elsewhere')];
  });
}

function expectedOutputs(
  request: TokenRequest,
  draft: Draft,
  { issuer, kind }: { issuer: Uint8Array; kind: DecodedToken | undefined },
): Expected[] {
  const tokens = draft.spent.filter(({ lockingScript }) => isSameKind(decodeToken(lockingScript), kind));
  const total = tokens.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const token = (address: string, satoshis: number): Expected => ({
    satoshis,
    what: phrase('review.word.of-token', { satoshis, symbol: draft.symbol, address }),
    differs: ({ script }) => !isSameKind(decodeToken(script), kind) || !isOwnedBy(script, address),
  });
  const redemption = (satoshis: number): Expected => ({
    satoshis,
    what: phrase('review.word.redeemed', { satoshis }),
    differs: ({ script }) => {
      const hash = parseP2pkh(script);
      return !hash || !kind || !equalBytes(hash, kind.redemption);
    },
  });
  switch (request.action) {
    case 'contract':
      return [
        {
          satoshis: supplyOf(request),
          what: phrase('review.word.contract', { symbol: request.schema.symbol }),
          differs: ({ script }) => {
            const fields = decodeContract(script);
            const schema = { ...request.schema, tokenId: toHex(issuer) };
            return !fields || !equalBytes(fields.issuer, issuer) || !sameJson(fields.schema, schema);
          },
        },
      ];
    case 'issue':
      return request.to.map(({ address, satoshis, data }) => ({
        satoshis,
        what: phrase('review.word.of-token', { satoshis, symbol: draft.symbol, address }),
        differs: ({ script }) => {
          const made = decodeToken(script);
          const sameData = new TextDecoder().decode(made?.data ?? new Uint8Array(0)) === (data ?? '');
          const sameRules = made?.splittable === request.splittable && made.symbol === draft.symbol;
          return (
            !made || !sameData || !sameRules || !equalBytes(made.redemption, issuer) || !isOwnedBy(script, address)
          );
        },
      }));
    case 'transfer':
    case 'merge':
      return [token(request.to, total)];
    case 'split':
    case 'mergeSplit':
      return request.to.map(({ address, satoshis }) => token(address, satoshis));
    case 'redeem':
      return [redemption(total)];
    case 'redeemSplit': {
      const kept = request.to.reduce((sum, { satoshis }) => sum + satoshis, 0);
      return [redemption(total - kept), ...request.to.map(({ address, satoshis }) => token(address, satoshis))];
    }
  }
}

/** True where two tokens agree in all but the owner. */
export function isSameKind(a: DecodedToken | undefined, b: DecodedToken | undefined): boolean {
  return a !== undefined && b !== undefined && kindIdOf(a) === kindIdOf(b);
}

/** One id for all tokens that agree in all but the owner: 64 hex digits. */
export function kindIdOf({ template, ...fields }: DecodedToken): string {
  return digestOf(template.lock({ ...fields, owner: new Uint8Array(20) }));
}

function isOwnedBy(script: Uint8Array, address: string): boolean {
  const owner = leadingP2pkh(script);
  return owner !== undefined && equalBytes(owner, decodeAddress(address).pubKeyHash);
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

function kindOf(
  script: Uint8Array,
  index: number,
  known: { redeemed: number; redemption: Uint8Array; expected: number; own: Uint8Array },
): TokenReview['outputs'][number]['kind'] {
  if (decodeToken(script)) return 'token';
  if (decodeContract(script)) return 'contract';
  const hash = parseP2pkh(script);
  if (hash === undefined) return 'unknown';
  if (index < known.expected) return equalBytes(hash, known.redemption) ? 'redemption' : 'unknown';
  return equalBytes(hash, hash160(known.own)) ? 'change' : 'unknown';
}
