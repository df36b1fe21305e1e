/** Title and detail of each error of ARC, by status (its list of errors). */
export const arcErrorTexts = {
  400: ['Bad request', 'The request seems to be malformed and cannot be processed'],
  401: ['Unauthorized', 'The request carries no API key that is known here'],
  403: ['Forbidden', 'The caller may not use this service'],
  404: ['Not found', 'The requested resource could not be found'],
  405: ['Method not allowed', 'The resource takes other methods'],
  409: ['Generic error', 'Transaction could not be processed'],
  413: ['Payload too large', 'The request is larger than this service takes'],
  415: ['Unsupported media type', 'The media type of the request is not supported'],
  // listed in ARC's document for one transaction, but never sent, neither by ARC nor here
  422: ['Unprocessable entity', 'The request could be read but not processed'],
  429: ['Too many requests', 'Send fewer requests at a time'],
  460: ['Not extended format', 'Missing input scripts: Transaction could not be transformed to extended format'],
  461: ['Invalid unlocking scripts', 'One or more unlocking scripts do not validate against their locking script'],
  462: ['Invalid inputs', 'Transaction is invalid because the inputs are non-existent or spent'],
  463: ['Malformed transaction', 'Transaction is malformed and cannot be processed'],
  464: ['Invalid outputs', 'Transaction is invalid because the outputs are non-existent or invalid'],
  465: ['Fee too low', 'Fees are too low'],
  466: [
    'Conflicting tx found',
    'Transaction is invalid because the network has already seen a tx which spends the same utxo',
  ],
  467: ['Mined ancestors not found', 'Error validating BEEF: mined ancestors not found in transaction inputs'],
  468: ['Invalid BUMPs', 'Error validating BEEF: could not calculate Merkle Roots from given BUMPs'],
  469: ['Merkle Roots validation failed', 'Error validating BEEF: could not validate Merkle Roots'],
  471: ['Input Frozen', 'Input Frozen (blacklist manager policy blacklisted)'],
  472: ['Input Frozen', 'Input Frozen (blacklist manager consensus blacklisted)'],
  473: ['Cumulative fee validation failed', 'Cumulative fee of the transaction and its unmined ancestors is too low'],
  474: ['Invalid transaction size', 'Transaction is larger than the policy allows'],
  475: [
    'Mined ancestors not found in BUMP',
    'Error validating BEEF: a mined ancestor is not present in the given BUMPs',
  ],
  500: ['Internal server error', 'The sandbox failed to answer; its log says why'],
  503: ['Service unavailable', 'The sandbox is stopping, or cannot store anything'],
} as const satisfies Record<number, readonly [title: string, detail: string]>;

export type ArcErrorStatus = keyof typeof arcErrorTexts;

/** Page about an error, without its status. */
const DOCUMENT = 'https://bitcoin-sv.github.io/arc/#/errors?id=_';

/** A request or transaction that ARC refuses. */
export class ArcProblem extends Error {
  override readonly name = 'ArcProblem';
  readonly status: ArcErrorStatus;
  readonly txid: string | null;

  /** @param extraInfo the cause in words; clients show it */
  constructor(status: ArcErrorStatus, extraInfo: string, txid: string | null = null) {
    super(extraInfo);
    this.status = status;
    this.txid = txid;
  }
}

/** The error document (RFC 7807) of a status, also of one that ARC itself does not use. */
export function problemDocument(status: number, extraInfo: string, txid: string | null = null): object {
  const known: readonly [string, string] | undefined = arcErrorTexts[status as ArcErrorStatus];
  const [title, detail] = known ?? (status < 500 ? arcErrorTexts[409] : arcErrorTexts[500]);
  return { type: `${DOCUMENT}${status}`, title, status, detail, instance: null, txid, extraInfo };
}

/** What a refusal of the node means in ARC: the status, and the validation that a client can skip. */
export interface Cause {
  readonly status: ArcErrorStatus;
  readonly skippedBy: 'tx' | 'fee' | 'script';
}

const causes: readonly (Cause & { readonly pattern: RegExp })[] = [
  { pattern: /^tx-malformed/, status: 400, skippedBy: 'tx' },
  { pattern: /min fee not met|in-belowout/, status: 465, skippedBy: 'fee' },
  { pattern: /^tx-size/, status: 474, skippedBy: 'tx' },
  { pattern: /double-spend-detected/, status: 466, skippedBy: 'tx' },
  // `push` is the node's word for an unlocking script that does more than push data
  { pattern: /script-verify-flag.*push/i, status: 463, skippedBy: 'script' },
  { pattern: /script-verify-flag/, status: 461, skippedBy: 'script' },
  { pattern: /vin-empty|inputs-|inputvalues|prevout-null|coinbase/, status: 462, skippedBy: 'tx' },
  { pattern: /vout|txouttotal|dust/, status: 464, skippedBy: 'tx' },
];

/** @param reason the node's */
export function causeOf(reason: string): Cause {
  return causes.find(({ pattern }) => pattern.test(reason)) ?? { status: 409, skippedBy: 'tx' };
}
