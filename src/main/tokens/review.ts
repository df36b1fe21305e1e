import { createHash } from 'node:crypto';
import {
  addressNetwork,
  decodeAddress,
  encodeAddress,
  equalBytes,
  feeFor,
  formatOutpoint,
  fromHex,
  hash160,
  isRateAbove,
  leadingP2pkh,
  parseP2pkh,
  parseTx,
  type Rate,
  type TxOutput,
  toHex,
  type Utxo,
} from '../../chain/index.ts';
import {
  type Network,
  type QuoteSource,
  quoteSignerText,
  type ReviewCheck,
  type Settings,
  type TokenRequest,
  type TokenReview,
} from '../../contract/index.ts';
import { type DecodedToken, decodeContract, decodeToken } from '../../token/index.ts';
import { type Draft, spentByRequest, supplyOf } from './build.ts';

/** A fee may be this many times what the miner's price gives. */
const FEE_TOLERANCE = 1.1;

/** What a transaction may pay, by the settings. */
type FeeCaps = Pick<Settings, 'maxFeeSatoshis' | 'maxFeeRate'>;

export interface ReviewContext {
  readonly network: Network;
  readonly rate: Rate;
  /** Whose price it is. */
  readonly source?: QuoteSource | undefined;
  readonly caps: FeeCaps;
  /** The wallet's own public key: it pays, gets the change, and issues. */
  readonly publicKey: Uint8Array;
  /** Held for this request alone, by outpoint. */
  readonly held: ReadonlySet<string>;
  /** Why a token that goes in is not genuine; undefined where each leads back to a contract of its issuer. */
  readonly history: string | undefined;
}

/** An output as it must be. */
interface Expected {
  readonly satoshis: number;
  readonly what: string;
  /** Why the output is another one. */
  differs(output: TxOutput): boolean;
}

/**
 * Decodes the unsigned transaction from its bytes and holds it against what was asked for. Nothing of what the builder meant is
 * believed: amounts, owners, rules and change are read from the scripts.
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
    check(
      'version',
      tx.version === 1
        ? []
        : [
            `The transaction has version ${tx.version} instead of 1: others could change it, and its id, before it is mined.`,
          ],
      'The transaction has version 1.',
    ),
    inputCheck(request, draft, tx.inputs.map(formatOutpoint), context.held),
    check(
      'outputs',
      expected.flatMap((wanted, index) => {
        const output = tx.outputs[index];
        return !output || output.satoshis !== wanted.satoshis || wanted.differs(output)
          ? [`Output ${index} is not ${wanted.what}.`]
          : [];
      }),
      `Every output is what you asked for: ${expected.map(({ what }) => what).join('; ')}.`,
    ),
    check(
      'change',
      changeFaults(tx.outputs.slice(expected.length), own),
      tx.outputs.length > expected.length
        ? 'All that is left comes back to your wallet, in one output.'
        : 'Nothing is left over.',
    ),
    request.action === 'contract'
      ? check(
          'supply',
          tokensOut === supplyOf(request)
            ? []
            : [`The contract holds ${tokensOut} satoshis, not ${supplyOf(request)}.`],
          `The contract holds the whole supply: ${tokensOut} satoshis.`,
        )
      : check(
          'supply',
          tokensIn === tokensOut + redeemed
            ? []
            : [`${tokensIn} satoshis of the token go in, but ${tokensOut} come out and ${redeemed} are redeemed.`],
          redeemed > 0
            ? `No token is made or lost: ${tokensIn} go in, ${tokensOut} come out, ${redeemed} go back to the issuer.`
            : `No token is made or lost: ${tokensIn} go in, ${tokensOut} come out.`,
        ),
    check(
      'fee-minimum',
      fee >= price ? [] : [`The fee of ${fee} satoshis is less than the ${price} the miner asks.`],
      `The fee of ${fee} satoshis is what the miner asks for ${size} bytes.`,
    ),
    check(
      'fee-maximum',
      fee <= Math.ceil(price * FEE_TOLERANCE) + 1 ? [] : [`The fee of ${fee} satoshis is more than ${price} satoshis.`],
      'The fee is not higher than it has to be.',
    ),
    check(
      'fee-limit',
      [
        ...feeFaults({ fee, size }, context.caps),
        ...(isRateAbove(context.rate, context.caps.maxFeeRate)
          ? [
              `The miner asks more than the ${context.caps.maxFeeRate} satoshis for 1,000 bytes that the settings allow.`,
            ]
          : []),
      ],
      `The fee is within the limits of the settings: ${context.caps.maxFeeSatoshis} satoshis, and ${context.caps.maxFeeRate} for 1,000 bytes.`,
    ),
    ...(context.source === undefined ? [] : [check('quote-signer', [], quoteSignerText(context.source))]),
  ];
  if (spentTokens.length > 0) {
    checks.push(
      check(
        'history',
        context.history === undefined ? [] : [context.history],
        'The tokens are genuine: every step back to the issuer’s contract was verified.',
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
    outputs: tx.outputs.map(({ satoshis, script }, index) => ({
      index,
      satoshis,
      kind: kindOf(script, index, { redeemed, redemption, expected: expected.length, own }),
      address: addressOf(script),
      itemId: null,
      contentType: null,
      contentBytes: null,
      contentSha256: null,
    })),
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
export function feeFaults(
  { fee, size }: { fee: number; size: number },
  { maxFeeSatoshis, maxFeeRate }: FeeCaps,
): string[] {
  const byRate = feeFor(size, { satoshis: maxFeeRate, bytes: 1_000 });
  return [
    ...(fee > maxFeeSatoshis
      ? [`The fee of ${fee} satoshis is above the limit of ${maxFeeSatoshis} in the settings.`]
      : []),
    ...(fee > byRate
      ? [`The fee of ${fee} satoshis is above ${byRate}, the limit of ${maxFeeRate} for 1,000 bytes in the settings.`]
      : []),
  ];
}

/** What an approval is bound to: the SHA-256 of the unsigned transaction's bytes, hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function check(id: string, faults: readonly string[], text: string): ReviewCheck {
  return { id, passed: faults.length === 0, text: faults.length === 0 ? text : faults.join(' ') };
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
    ...wanted.flatMap((outpoint, i) => (inputs[i] === outpoint ? [] : [`Input ${i} does not spend ${outpoint}.`])),
    ...inputs.flatMap((outpoint, i) => {
      const utxo = draft.spent[i];
      if (!utxo || formatOutpoint(utxo) !== outpoint) return [`Input ${i} spends an output that was not chosen.`];
      if (!held.has(outpoint)) return [`Input ${i} spends ${outpoint}, which is not held for this.`];
      const isPayment = i >= wanted.length;
      return isPayment && parseP2pkh(utxo.lockingScript) === undefined
        ? [`Input ${i} would spend a token as money.`]
        : [];
    }),
    ...(new Set(inputs).size === inputs.length ? [] : ['An output would be spent twice.']),
  ];
  const coins = inputs.length - wanted.length;
  const money = coins === 1 ? 'one coin of your wallet' : `${coins} coins of your wallet`;
  return check(
    'inputs',
    faults,
    wanted.length === 0
      ? `Only ${money} ${coins === 1 ? 'goes' : 'go'} in.`
      : `What you chose goes in, and ${money} for the fee.`,
  );
}

function changeFaults(rest: readonly TxOutput[], own: Uint8Array): string[] {
  if (rest.length > 1) return [`There are ${rest.length - 1} outputs more than asked for.`];
  return rest.flatMap(({ script }) => {
    const hash = parseP2pkh(script);
    return hash && equalBytes(hash, hash160(own)) ? [] : ['What is left does not come back to your wallet.'];
  });
}

function expectedOutputs(
  request: TokenRequest,
  draft: Draft,
  { issuer, kind }: { issuer: Uint8Array; kind: DecodedToken | undefined },
): Expected[] {
  const total = draft.spent.reduce((sum, utxo) => sum + (isTokenOf(utxo, kind) ? utxo.satoshis : 0), 0);
  const token = (address: string, satoshis: number): Expected => ({
    satoshis,
    what: `${satoshis} of ${draft.symbol} to ${address}`,
    differs: ({ script }) => !isSameKind(decodeToken(script), kind) || !isOwnedBy(script, address),
  });
  const redemption = (satoshis: number): Expected => ({
    satoshis,
    what: `${satoshis} redeemed to the issuer`,
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
          what: `the contract of ${request.schema.symbol}`,
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
        what: `${satoshis} of ${draft.symbol} to ${address}`,
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

function isTokenOf({ lockingScript }: Utxo, kind: DecodedToken | undefined): boolean {
  return isSameKind(decodeToken(lockingScript), kind);
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
