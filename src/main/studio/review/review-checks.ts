import { createHash } from 'node:crypto';
import {
  decodeAddress,
  equalBytes,
  FINAL_SEQUENCE,
  formatOutpoint,
  ONE_SATOSHI,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { mergedCheck, type Phrase, phrase, type ReviewCheck, reviewCheck } from '../../../contract/index.ts';
import { decodedBase64 } from '../content/base64.ts';
import { hiddenMarks } from '../content/hidden-marks.ts';
import { addressOf, factOf, type ReviewItem, type Subject } from './review-subject.ts';

/** The differences the callback names, over a list. */
function differencesOf<T>(values: readonly T[], of: (value: T, index: number) => Phrase | undefined): Phrase[] {
  return values.flatMap((value, index) => of(value, index) ?? []);
}

export function formChecks({ tx, claims }: Subject): ReviewCheck[] {
  const checks = [
    reviewCheck(
      'version',
      tx.version === 1
        ? []
        : [phrase(tx.version > 1 ? 'review.version.malleable' : 'review.version.other', { version: tx.version })],
      phrase('review.version'),
    ),
    reviewCheck(
      'final',
      [
        ...(tx.lockTime === 0 ? [] : [phrase('review.final.locked', { time: String(tx.lockTime) })]),
        ...differencesOf(tx.inputs, ({ sequence }, i) =>
          sequence === FINAL_SEQUENCE
            ? undefined
            : phrase('review.final.sequence', { input: i, sequence: String(sequence) }),
        ),
      ],
      phrase('review.final'),
    ),
  ];
  if (claims?.txid === undefined) return checks;
  const txid = txidOf(tx);
  const same = claims.txid === txid;
  return [
    reviewCheck(
      'txid',
      same ? [] : [phrase('review.txid.other', { claimed: claims.txid, txid })],
      phrase('review.txid'),
    ),
    ...checks,
  ];
}

export function inputChecks({ request, facts, tx, claims }: Subject): ReviewCheck[] {
  const chosen = new Set(request.coins.map(formatOutpoint));
  const spent = tx.inputs.map(formatOutpoint);
  const checks = [
    reviewCheck(
      'inputs',
      [
        ...differencesOf(spent, (outpoint, i) => {
          if (!chosen.has(outpoint)) return phrase('review.inputs.not-chosen', { input: i, outpoint });
          return spent.indexOf(outpoint) === i ? undefined : phrase('review.inputs.twice', { input: i, outpoint });
        }),
        ...differencesOf([...chosen], (outpoint) =>
          spent.includes(outpoint) ? undefined : phrase('review.inputs.not-spent', { outpoint }),
        ),
      ],
      chosen.size === 1 ? phrase('review.inputs.one') : phrase('review.inputs', { count: chosen.size }),
    ),
  ];
  if (claims !== undefined) {
    checks.push(
      reviewCheck(
        'input-values',
        differencesOf(tx.inputs, (input, i) => {
          const truth = factOf(facts, input)?.utxo?.satoshis;
          const claim = claims.spent[i]?.satoshis;
          if (truth === undefined) return phrase('review.input-values.unknown', { input: i });
          if (claim === undefined) return phrase('review.input-values.none', { input: i, satoshis: truth });
          return truth === claim
            ? undefined
            : phrase('review.input-values.other', { input: i, claimed: claim, satoshis: truth });
        }),
        phrase('review.input-values'),
      ),
      reviewCheck(
        'input-scripts',
        differencesOf(tx.inputs, (input, i) => {
          const truth = factOf(facts, input)?.utxo?.lockingScript;
          const claim = claims.spent[i]?.lockingScript;
          if (truth === undefined) return phrase('review.input-scripts.unknown', { input: i });
          if (claim === undefined || !equalBytes(truth, claim)) {
            return phrase('review.input-scripts.other', { input: i });
          }
          return request.paysFrom.some((script) => equalBytes(truth, script))
            ? undefined
            : phrase('review.input-scripts.foreign', { input: i });
        }),
        phrase('review.input-scripts'),
      ),
    );
  }
  const gone = differencesOf(tx.inputs, (input, i) =>
    factOf(facts, input)?.unspent
      ? undefined
      : phrase('review.input-unspent.gone', { input: i, outpoint: formatOutpoint(input) }),
  );
  const isUnanswered = gone.length === 0 && tx.inputs.some((input) => factOf(facts, input)?.isUnanswered);
  checks.push(
    isUnanswered
      ? reviewCheck('unanswered', [], phrase('review.unanswered.coins'))
      : reviewCheck('input-unspent', gone, phrase('review.input-unspent')),
  );
  return checks;
}

/** Most names, and marks of each, that are reported. */
const MARKED_TOLD = 3;

/** A name with hidden marks is no fault: its check passes and is there to inform the person. */
export function marksChecks({ request: { items } }: Subject): ReviewCheck[] {
  const [first, ...more] = items
    .flatMap(({ metadata: { name = '' } }) => {
      const marks = hiddenMarks(name).slice(0, MARKED_TOLD).join(', ');
      return marks === '' ? [] : [reviewCheck('hidden-marks', [], phrase('review.hidden-marks', { name, marks }))];
    })
    .slice(0, MARKED_TOLD);
  return first === undefined ? [] : [mergedCheck([first, ...more])];
}

export function outputChecks({ request, tx, tokens, contentHashes }: Subject): ReviewCheck[] {
  const { items, destination, network } = request;
  const { pubKeyHash } = decodeAddress(destination);
  const noToken = (i: number) => phrase('review.outputs.no-token', { output: i, name: items[i]?.metadata.name ?? '' });
  /** Applies a check to every token; one that cannot be read is reported as missing. */
  const ofTokens = (of: (token: NonNullable<(typeof tokens)[number]>, item: ReviewItem, i: number) => Phrase[]) =>
    items.flatMap((item, i) => {
      const token = tokens[i];
      return token === undefined ? [noToken(i)] : of(token, item, i);
    });
  const all =
    items.length === 1 ? phrase('review.word.token', {}) : phrase('review.word.tokens', { count: items.length });
  return [
    reviewCheck(
      'outputs',
      [
        ...differencesOf(items, (_, i) => (tokens[i] === undefined ? noToken(i) : undefined)),
        ...differencesOf(tx.outputs.slice(items.length), ({ satoshis, script }, i) =>
          i === 0 && equalBytes(script, request.changeScript)
            ? undefined
            : phrase('review.outputs.not-asked', {
                output: i + items.length,
                satoshis,
                address: addressOf(script, network) ?? phrase('review.word.no-address', {}),
              }),
        ),
      ],
      phrase('review.outputs'),
    ),
    reviewCheck(
      'token-values',
      differencesOf(items, (_, i) => {
        const value = tx.outputs[i]?.satoshis;
        if (value === ONE_SATOSHI) return undefined;
        return value === undefined
          ? phrase('review.token-values.none', { output: i })
          : phrase('review.token-values.other', { output: i, satoshis: value });
      }),
      phrase('review.token-values', { tokens: all }),
    ),
    reviewCheck(
      'destination',
      ofTokens((token, _, i) =>
        equalBytes(token.pubKeyHash, pubKeyHash)
          ? []
          : [
              phrase('review.destination.other', {
                output: i,
                address: addressOf(tx.outputs[i]?.script, network) ?? phrase('review.word.no-address', {}),
                asked: destination,
              }),
            ],
      ),
      phrase('review.destination', { tokens: all, address: destination }),
    ),
    ...contentChecks({ tokens, contentHashes }, items, { all, noToken, accepts: request.acceptsBase64 === true }),
    reviewCheck(
      'content-type',
      ofTokens((token, item, i) =>
        token.contentType === item.contentType
          ? []
          : [
              phrase('review.content-type.other', {
                output: i,
                type: short(token.contentType),
                asked: item.contentType,
              }),
            ],
      ),
      phrase('review.content-type', { tokens: all }),
    ),
    reviewCheck(
      'pictures',
      items.flatMap(({ isUnreadable, contentType, metadata }, i) =>
        isUnreadable
          ? [phrase('review.pictures.unreadable', { output: i, name: short(metadata.name ?? ''), type: contentType })]
          : [],
      ),
      phrase('review.pictures'),
    ),
    reviewCheck(
      'metadata',
      ofTokens((token, item, i) => metadataDifferences(token.map, item.metadata, i)),
      phrase('review.metadata', { tokens: all }),
    ),
  ];
}

/** Checks what tokens hold. Some services inscribe the base64 text that they were sent instead of the file. */
function contentChecks(
  { tokens, contentHashes }: Pick<Subject, 'tokens' | 'contentHashes'>,
  items: readonly ReviewItem[],
  { all, noToken, accepts }: { all: Phrase; noToken: (index: number) => Phrase; accepts: boolean },
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
      phrase('review.content.other', {
        output: i,
        bytes: content.length,
        digest: contentHashes[i] ?? '',
        fileBytes: item.bytes,
        fileDigest: item.sha256,
      }),
    ];
  });
  if (asText.length === 0) return [reviewCheck('content', differences, phrase('review.content', { tokens: all }))];
  const [first = 0, ...others] = asText;
  const notice =
    others.length === 0
      ? phrase('review.base64.one', { output: first })
      : phrase('review.base64', { count: asText.length });
  return [
    reviewCheck('content', differences, phrase('review.content.either', { tokens: all })),
    reviewCheck('base64-content', accepts ? [] : [notice], phrase('review.base64.accepted', { notice })),
  ];
}

function isBase64Of(content: Uint8Array, item: ReviewItem): boolean {
  if (content.length !== 4 * Math.ceil(item.bytes / 3)) return false;
  const decoded = decodedBase64(content);
  return decoded !== undefined && digestOf(decoded) === item.sha256;
}

function metadataDifferences(
  actual: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, string>>,
  index: number,
): Phrase[] {
  const missing = Object.entries(expected).flatMap(([key, value]) => {
    const found = Object.hasOwn(actual, key) ? actual[key] : undefined;
    if (found === undefined) return [phrase('review.metadata.missing', { output: index, key: short(key) })];
    return found === value
      ? []
      : [
          phrase('review.metadata.other', {
            output: index,
            key: short(key),
            value: short(found),
            asked: short(value),
          }),
        ];
  });
  const added = Object.keys(actual)
    .filter((key) => !Object.hasOwn(expected, key))
    .map((key) => phrase('review.metadata.added', { output: index, key: short(key) }));
  return [...missing, ...added];
}

export function changeCheck({ request, tx, claims, fee }: Subject): ReviewCheck {
  const own = addressOf(request.changeScript, request.network) ?? phrase('review.word.no-address', {});
  const at = request.items.length;
  const change = tx.outputs[at];
  const differences: Phrase[] = [];
  if (change !== undefined && !equalBytes(change.script, request.changeScript)) {
    differences.push(
      phrase('review.change.elsewhere', {
        address: addressOf(change.script, request.network) ?? phrase('review.word.no-address', {}),
        own,
      }),
    );
  }
  if (change !== undefined && change.satoshis <= ONE_SATOSHI) {
    differences.push(phrase('review.change.dust', { satoshis: change.satoshis }));
  }
  if (claims?.changeIndex !== undefined && claims.changeIndex !== at) {
    differences.push(phrase('review.change.place', { output: claims.changeIndex, expected: at }));
  }
  if (fee !== undefined && fee < 0) {
    const paid = tx.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
    differences.push(phrase('review.change.overpaid', { satoshis: paid, more: -fee }));
  }
  return reviewCheck(
    'change',
    differences,
    change === undefined
      ? phrase('review.change.none')
      : phrase('review.change', { satoshis: change.satoshis, address: own }),
  );
}

function digestOf(bytes: Uint8Array): string {
  return toHex(createHash('sha256').update(bytes).digest());
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
