import { createHash } from 'node:crypto';
import {
  decodeAddress,
  equalBytes,
  FINAL_SEQUENCE,
  formatOutpoint,
  highestFee,
  isRateAbove,
  ONE_SATOSHI,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { quoteSignerText, type ReviewCheck } from '../../../contract/index.ts';
import { addressOf, check, factOf, type ReviewItem, type Subject } from './review-subject.ts';

/** Change below this is not worth an output, so services add it to the fee. */
const DUST_SATOSHIS = 546;
/** A fee may be this many times the quote: services estimate sizes and rates in their own ways. */
const FEE_TOLERANCE = 2;

/** The differences the callback names, over a list. */
function differencesOf<T>(values: readonly T[], of: (value: T, index: number) => string | undefined): string[] {
  return values.flatMap((value, index) => of(value, index) ?? []);
}

export function formChecks({ tx, claims }: Subject): ReviewCheck[] {
  const checks = [
    check(
      'version',
      tx.version === 1
        ? []
        : [
            tx.version > 1
              ? `The transaction has version ${tx.version} instead of 1: others could change it, and its id, before it is mined.`
              : `The transaction has version ${tx.version} instead of 1.`,
          ],
      'The transaction has version 1.',
    ),
    check(
      'final',
      [
        ...(tx.lockTime === 0 ? [] : [`The transaction is locked until ${tx.lockTime}; it must not be locked.`]),
        ...differencesOf(tx.inputs, ({ sequence }, i) =>
          sequence === FINAL_SEQUENCE ? undefined : `Input ${i} is not final: its sequence number is ${sequence}.`,
        ),
      ],
      'The transaction is final: it can be mined at once.',
    ),
  ];
  if (claims?.txid === undefined) return checks;
  const txid = txidOf(tx);
  const same = claims.txid === txid;
  return [
    check(
      'txid',
      same ? [] : [`The service names the unsigned transaction ${claims.txid}, but its bytes give ${txid}.`],
      'The id of the unsigned transaction follows from its bytes.',
    ),
    ...checks,
  ];
}

export function inputChecks({ request, facts, tx, claims }: Subject): ReviewCheck[] {
  const chosen = new Set(request.coins.map(formatOutpoint));
  const spent = tx.inputs.map(formatOutpoint);
  const checks = [
    check(
      'inputs',
      [
        ...differencesOf(spent, (outpoint, i) => {
          if (!chosen.has(outpoint)) return `Input ${i} spends ${outpoint}, which was not chosen.`;
          return spent.indexOf(outpoint) === i ? undefined : `Input ${i} spends ${outpoint} a second time.`;
        }),
        ...differencesOf([...chosen], (outpoint) =>
          spent.includes(outpoint) ? undefined : `The chosen coin ${outpoint} is not spent.`,
        ),
      ],
      `Exactly the ${chosen.size === 1 ? 'one chosen coin is' : `${chosen.size} chosen coins are`} spent.`,
    ),
  ];
  if (claims !== undefined) {
    checks.push(
      check(
        'input-values',
        differencesOf(tx.inputs, (input, i) => {
          const truth = factOf(facts, input)?.utxo?.satoshis;
          const claim = claims.spent[i]?.satoshis;
          if (truth === undefined) return `The value of input ${i} cannot be learned from the node.`;
          return truth === claim
            ? undefined
            : `Input ${i} is said to hold ${claim} satoshis, but it holds ${truth} on the chain.`;
        }),
        'Every input holds what the service says, by the node.',
      ),
      check(
        'input-scripts',
        differencesOf(tx.inputs, (input, i) => {
          const truth = factOf(facts, input)?.utxo?.lockingScript;
          const claim = claims.spent[i]?.lockingScript;
          if (truth === undefined) return `The script of input ${i} cannot be learned from the node.`;
          if (claim === undefined || !equalBytes(truth, claim)) {
            return `The script of input ${i} is not the one on the chain.`;
          }
          return equalBytes(truth, request.changeScript) ? undefined : `Input ${i} does not belong to this wallet.`;
        }),
        'Every input belongs to this wallet, by the node.',
      ),
    );
  }
  checks.push(
    check(
      'input-unspent',
      differencesOf(tx.inputs, (input, i) =>
        factOf(facts, input)?.unspent ? undefined : `Input ${i} spends ${spent[i]}, which the node says is not there.`,
      ),
      'Every input is unspent, by the node.',
    ),
  );
  return checks;
}

export function outputChecks({ request, tx, tokens, contentHashes }: Subject): ReviewCheck[] {
  const { items, destination, network } = request;
  const { pubKeyHash } = decodeAddress(destination);
  const noToken = (i: number) => `Output ${i} is not the token of “${items[i]?.metadata.name}”.`;
  /** A check of every token that can be read; the check of the outputs has named those that cannot. */
  const ofTokens = (of: (token: NonNullable<(typeof tokens)[number]>, item: ReviewItem, i: number) => string[]) =>
    items.flatMap((item, i) => {
      const token = tokens[i];
      return token === undefined ? [noToken(i)] : of(token, item, i);
    });
  const all = items.length === 1 ? 'The token' : `Each of the ${items.length} tokens`;
  return [
    check(
      'outputs',
      [
        ...differencesOf(items, (_, i) => (tokens[i] === undefined ? noToken(i) : undefined)),
        ...differencesOf(tx.outputs.slice(items.length), ({ satoshis, script }, i) =>
          i === 0 && equalBytes(script, request.changeScript)
            ? undefined
            : `Output ${i + items.length} was not asked for: ${satoshis} satoshis to ${addressOf(script, network) ?? 'a script without an address'}.`,
        ),
      ],
      'The outputs are the tokens in their order, then the change, and nothing else.',
    ),
    check(
      'token-values',
      differencesOf(items, (_, i) => {
        const value = tx.outputs[i]?.satoshis;
        return value === ONE_SATOSHI ? undefined : `Output ${i} holds ${value ?? 'no'} satoshis instead of 1.`;
      }),
      `${all} holds one satoshi.`,
    ),
    check(
      'destination',
      ofTokens((token, _, i) =>
        equalBytes(token.pubKeyHash, pubKeyHash)
          ? []
          : [`Output ${i} goes to ${addressOf(tx.outputs[i]?.script, network)} instead of ${destination}.`],
      ),
      `${all} goes to ${destination}.`,
    ),
    ...contentChecks({ tokens, contentHashes }, items, { all, noToken, accepts: request.acceptsBase64 === true }),
    check(
      'content-type',
      ofTokens((token, item, i) =>
        token.contentType === item.contentType
          ? []
          : [`Output ${i} has the content type “${short(token.contentType)}” instead of “${item.contentType}”.`],
      ),
      `${all} has the content type of its file.`,
    ),
    check(
      'pictures',
      items.flatMap(({ isUnreadable, contentType, metadata }, i) =>
        isUnreadable
          ? [`Output ${i}, “${short(metadata.name ?? '')}”, says it is ${contentType}, but no decoder opens its file.`]
          : [],
      ),
      'Every picture opens.',
    ),
    check(
      'metadata',
      ofTokens((token, item, i) => metadataDifferences(token.map, item.metadata, i)),
      `${all} carries exactly the metadata written for it.`,
    ),
  ];
}

/** What tokens hold. Some services inscribe the base64 text they were sent instead of what it stands for. */
function contentChecks(
  { tokens, contentHashes }: Pick<Subject, 'tokens' | 'contentHashes'>,
  items: readonly ReviewItem[],
  { all, noToken, accepts }: { all: string; noToken: (index: number) => string; accepts: boolean },
): ReviewCheck[] {
  const asText: number[] = [];
  const differences = items.flatMap((item, i) => {
    const content = tokens[i]?.content;
    if (content === undefined) return [noToken(i)];
    if (content.length === item.bytes && contentHashes[i] === item.sha256) return [];
    if (isBase64Of(content, item)) {
      asText.push(i);
      return [];
    }
    return [
      `Output ${i} holds ${content.length} bytes with the digest ${contentHashes[i]}; the file has ${item.bytes} bytes and the digest ${item.sha256}.`,
    ];
  });
  if (asText.length === 0) return [check('content', differences, `${all} holds exactly the bytes of its file.`)];
  const which = asText.length === 1 ? `Output ${asText[0]} holds` : `${asText.length} tokens hold`;
  const notice = `${which} the base64 text of the file instead of the file: wallets and galleries show letters, not the art.`;
  return [
    check('content', differences, `${all} holds its file, as it is or as base64 text.`),
    check('base64-content', accepts ? [] : [notice], `${notice} The setting base64Content accepts it.`),
  ];
}

function isBase64Of(content: Uint8Array, item: ReviewItem): boolean {
  if (content.length !== 4 * Math.ceil(item.bytes / 3)) return false;
  const text = Buffer.from(content).toString('latin1');
  const decoded = Buffer.from(text, 'base64');
  return decoded.toString('base64') === text && digestOf(decoded) === item.sha256;
}

function metadataDifferences(
  actual: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, string>>,
  index: number,
): string[] {
  const missing = Object.entries(expected).flatMap(([key, value]) => {
    const found = Object.hasOwn(actual, key) ? actual[key] : undefined;
    if (found === undefined) return [`Output ${index} lacks the metadata “${short(key)}”.`];
    return found === value
      ? []
      : [`Output ${index} says ${short(key)} “${short(found)}” instead of “${short(value)}”.`];
  });
  const added = Object.keys(actual)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => `Output ${index} carries the metadata “${short(key)}”, which was not asked for.`);
  return [...missing, ...added];
}

export function changeCheck({ request, tx, claims, fee }: Subject): ReviewCheck {
  const own = addressOf(request.changeScript, request.network);
  const at = request.items.length;
  const change = tx.outputs[at];
  const differences: string[] = [];
  if (change !== undefined && !equalBytes(change.script, request.changeScript)) {
    differences.push(
      `The change goes to ${addressOf(change.script, request.network) ?? 'a script without an address'} instead of ${own}.`,
    );
  }
  if (change !== undefined && change.satoshis <= ONE_SATOSHI) {
    differences.push(`The change is ${change.satoshis} satoshis, which could never be spent as money.`);
  }
  if (claims?.changeIndex !== undefined && claims.changeIndex !== at) {
    differences.push(`The service says output ${claims.changeIndex} is the change; it has to be output ${at}.`);
  }
  if (fee !== undefined && fee < 0) {
    const paid = tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
    differences.push(`The outputs pay ${paid} satoshis, ${-fee} more than the inputs hold.`);
  }
  return check(
    'change',
    differences,
    change === undefined ? 'There is no change.' : `The change of ${change.satoshis} satoshis comes back to ${own}.`,
  );
}

export function feeChecks({ request, tx, fee, leastFee, quotedFee }: Subject): ReviewCheck[] {
  const { quote, maxFeeRate } = request;
  const unknown = 'The fee cannot be told, because the value of an input is not known.';
  // Change too small for an output of its own goes into the fee.
  const dropped = tx.outputs.length > request.items.length ? 0 : DUST_SATOSHIS;
  const most = FEE_TOLERANCE * quotedFee + dropped;
  return [
    check(
      'fee-minimum',
      fee === undefined
        ? [unknown]
        : fee >= leastFee
          ? []
          : [`The fee of ${fee} satoshis is below the miner's ${leastFee}.`],
      `The fee of ${fee} satoshis is enough for the miner's quote.`,
    ),
    check(
      'fee-maximum',
      fee === undefined
        ? [unknown]
        : fee <= most
          ? []
          : [`The fee of ${fee} satoshis is more than ${FEE_TOLERANCE} times the miner's quote of ${quotedFee}.`],
      `The fee is not above ${FEE_TOLERANCE} times the miner's quote of ${quotedFee} satoshis.`,
    ),
    check(
      'fee-limit',
      fee === undefined
        ? [unknown]
        : fee <= request.maxFee
          ? []
          : [`The fee of ${fee} satoshis is above the limit of ${request.maxFee} in the settings.`],
      `The fee is within the limit of ${request.maxFee} satoshis in the settings.`,
    ),
    check(
      'fee-rate',
      [
        ...differencesOf([quote.standard, quote.data], (rate) =>
          isRateAbove(rate, maxFeeRate)
            ? `The miner's quote of ${rate.satoshis} satoshis for ${rate.bytes} bytes is above the limit of ${maxFeeRate} for 1,000 bytes in the settings.`
            : undefined,
        ).slice(0, 1),
        ...rateDifferences(tx, fee, maxFeeRate),
      ],
      `The fee rate is within the limit of ${maxFeeRate} satoshis for 1,000 bytes in the settings.`,
    ),
    // Never fails: an answer of an unexpected signer is refused before it becomes a quote.
    ...(quote.source === undefined ? [] : [check('quote-signer', [], quoteSignerText(quote.source))]),
  ];
}

function rateDifferences(tx: Tx, fee: number | undefined, maxFeeRate: number): string[] {
  if (fee === undefined) return ['The fee rate cannot be told, because the value of an input is not known.'];
  const unsigned = { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array(0) })) };
  const most = highestFee(unsigned, maxFeeRate);
  return fee <= most
    ? []
    : [`The fee of ${fee} satoshis is above ${most}, the limit of ${maxFeeRate} for 1,000 bytes in the settings.`];
}

function digestOf(bytes: Uint8Array): string {
  return toHex(createHash('sha256').update(bytes).digest());
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
