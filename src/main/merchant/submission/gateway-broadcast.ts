import { ChainError, type FormattedTx, fromHex, readFormatted, runSteps } from '../../../chain/index.ts';
import {
  MAX_SHOWN_TRANSACTIONS,
  PlanchetError,
  type PreCheck,
  type SubmittedTransaction,
  toFailure,
} from '../../../contract/index.ts';
import type { Approvals } from '../../ports/approvals.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { BroadcastSender, NodeBroadcast } from '../../ports/merchant/broadcast.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { ManualSubmission } from './manual-submission.ts';

interface NodeError {
  readonly code: number;
  readonly message: string;
}

/** Codes of a node's answers. */
const MISC = -1;
const TYPE = -3;
const DESERIALIZATION = -22;
const VERIFY = -25;
const REJECTED = -26;
const ALREADY_IN_CHAIN = -27;
const INVALID_PARAMETER = -8;

const missingInputs: NodeError = { code: VERIFY, message: 'Missing inputs' };
const rejected = (reason: string): NodeError => ({ code: REJECTED, message: reason });

/** A node's words for what a check or a miner found. */
const nodeErrors: ReadonlyMap<string, NodeError> = new Map(
  Object.entries<NodeError>({
    'input-missing': missingInputs,
    'missing-inputs': missingInputs,
    'input-mined': missingInputs,
    'parent-kept-back': missingInputs,
    'input-spent': rejected('258: txn-mempool-conflict'),
    'double-spend': rejected('258: txn-mempool-conflict'),
    fee: rejected('66: mempool min fee not met'),
    'fee-too-low': rejected('66: mempool min fee not met'),
    'fee-high': rejected('256: absurdly-high-fee'),
    'outputs-exceed-inputs': rejected('16: bad-txns-in-belowout'),
    unsigned: rejected('16: mandatory-script-verify-flag-failed (Operation not valid with the current stack size)'),
    'script-failed': rejected('16: mandatory-script-verify-flag-failed'),
    size: rejected('64: tx-size'),
    'too-large': rejected('64: tx-size'),
    'script-size': rejected('64: tx-size'),
    sigops: rejected('64: bad-txns-too-many-sigops'),
    ancestors: rejected('64: too-long-mempool-chain'),
    'too-long-chain': rejected('64: too-long-mempool-chain'),
    'no-room': rejected('66: mempool full'),
    'not-final': rejected('64: non-final'),
  }),
);

export interface GatewayBroadcastOptions {
  submission: Pick<ManualSubmission, 'submitAll' | 'decodeFound'>;
  /** Asks the person, while the setting says so. */
  approvals: Approvals;
  chainData: ChainData;
  settings: Pick<SettingsView, 'current'>;
  /** Whether no node answers programs, so that none could send either. */
  isWithoutNode: () => boolean;
}

/** `sendrawtransaction` for programs that know a node alone: checked, submitted and tracked as everything else, answered as a node would. */
export class GatewayBroadcast implements NodeBroadcast {
  readonly #options: GatewayBroadcastOptions;

  constructor(options: GatewayBroadcastOptions) {
    this.#options = options;
  }

  isOn(): boolean {
    const { settings, isWithoutNode } = this.#options;
    const { gatewayBroadcast } = settings.current();
    return gatewayBroadcast === 'auto' ? isWithoutNode() : gatewayBroadcast !== 'off';
  }

  async send(
    method: string,
    params: readonly unknown[],
    from?: BroadcastSender,
  ): Promise<{ result: unknown } | NodeError> {
    const approve = (found: readonly FormattedTx[]): Promise<void> => this.#approve(method, found, from);
    try {
      return method === 'sendrawtransactions'
        ? await this.#sendMany(params, approve)
        : await this.#sendOne(params, approve);
    } catch (error) {
      if (error instanceof PlanchetError) return { code: MISC, message: toFailure(error).message };
      throw error;
    }
  }

  async #sendOne(
    [hex, allowHighFees = false, dontCheckFee = false]: readonly unknown[],
    approve: Approve,
  ): Promise<{ result: unknown } | NodeError> {
    if (typeof hex !== 'string') return { code: TYPE, message: `Expected type string, got ${typeName(hex)}` };
    for (const flag of [allowHighFees, dontCheckFee])
      if (typeof flag !== 'boolean' && flag !== null)
        return { code: TYPE, message: `Expected type bool, got ${typeName(flag)}` };
    const found = readOne(hex);
    if (found === undefined) return { code: DESERIALIZATION, message: 'TX decode failed' };
    const known = await this.#known(found.txid);
    if (known !== undefined) return known;
    await approve([found]);
    const [result] = await this.#submit([found], { highFees: allowHighFees === true, anyFee: dontCheckFee === true });
    return errorOf(result) ?? { result: found.txid };
  }

  async #sendMany([inputs]: readonly unknown[], approve: Approve): Promise<{ result: unknown } | NodeError> {
    if (!Array.isArray(inputs)) return { code: TYPE, message: `Expected type array, got ${typeName(inputs)}` };
    if (inputs.length === 0)
      return { code: INVALID_PARAMETER, message: 'Invalid parameter: An array must contain at least one element' };
    const found: FormattedTx[] = [];
    const allowed = { highFees: true, anyFee: true };
    for (const input of inputs as unknown[]) {
      const { hex, allowhighfees, dontcheckfee } = Object(input) as Record<string, unknown>;
      const one = typeof hex === 'string' ? readOne(hex) : undefined;
      if (one === undefined) return { code: DESERIALIZATION, message: 'TX decode failed' };
      found.push(one);
      // They go together, so a check is left out only where every one of them asks for it.
      allowed.highFees &&= allowhighfees === true;
      allowed.anyFee &&= dontcheckfee === true;
    }
    const known: string[] = [];
    const open: FormattedTx[] = [];
    for (const one of found) {
      if ((await this.#known(one.txid)) === undefined) open.push(one);
      else known.push(one.txid);
    }
    if (open.length > 0) await approve(open);
    const results = open.length === 0 ? [] : await this.#submit(open, allowed);
    const invalid = results.flatMap((result) => {
      const error = errorOf(result);
      if (error === undefined) return [];
      const [, code, reason] = /^(\d+): (.*)$/.exec(error.message) ?? [];
      return [{ txid: result.txid, reject_code: Number(code ?? 0), reject_reason: reason ?? error.message }];
    });
    return { result: { ...(known.length > 0 && { known }), ...(invalid.length > 0 && { invalid }) } };
  }

  #submit(
    found: readonly FormattedTx[],
    allowed: { highFees: boolean; anyFee: boolean },
  ): Promise<SubmittedTransaction[]> {
    const transactions = placed(found);
    const skip = [...(allowed.highFees ? ['fee-high' as const] : []), ...(allowed.anyFee ? ['fee' as const] : [])];
    return this.#options.submission.submitAll(transactions, { origin: 'gateway', skip });
  }

  /** Resolves where the person, or what the person said before, lets exactly these transactions go out. */
  async #approve(method: string, found: readonly FormattedTx[], from: BroadcastSender | undefined): Promise<void> {
    const { submission, settings, approvals } = this.#options;
    if (from === undefined || settings.current().gatewayBroadcast !== 'ask') return;
    const decoded = await submission.decodeFound(placed(found));
    const paid = found.flatMap(({ tx }) => tx.outputs.map((output) => Number(output.satoshis)));
    const fees = decoded.map(({ fee }) => fee ?? 0);
    await approvals.ask({
      kind: 'broadcast',
      program: from.program,
      method,
      amount: [...paid, ...fees].reduce((sum, satoshis) => sum + satoshis, 0),
      feeUnknown: decoded.some(({ fee }) => fee === null),
      transactions: decoded.slice(0, MAX_SHOWN_TRANSACTIONS).map((one) => ({ ...one, rawTx: null })),
      transactionCount: decoded.length,
      signal: from.signal,
    });
    // The setting may have been turned off meanwhile.
    if (!this.isOn()) throw new PlanchetError('approvals.denied');
  }

  /** The node's error for a transaction that it has already; undefined for any other. */
  async #known(txid: string): Promise<NodeError | undefined> {
    try {
      const { basis, value: block } = await this.#options.chainData.placeOf(txid);
      if (basis === 'unknown') return undefined;
      return block !== null
        ? { code: REJECTED, message: '257: txn-already-known' }
        : { code: ALREADY_IN_CHAIN, message: 'Transaction already in the mempool' };
    } catch (error) {
      if (error instanceof PlanchetError) return undefined;
      throw error;
    }
  }
}

type Approve = (found: readonly FormattedTx[]) => Promise<void>;

function placed(found: readonly FormattedTx[]): (FormattedTx & { place: number })[] {
  return found.map((one, index) => ({ ...one, place: index + 1 }));
}

function readOne(hex: string): FormattedTx | undefined {
  try {
    const found = runSteps(readFormatted(fromHex(hex)));
    const [one] = found;
    const isOne = found.length === 1 && one !== undefined && one.tx.inputs.length > 0 && one.tx.outputs.length > 0;
    return isOne ? one : undefined;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** @returns undefined where a miner has it */
function errorOf(result: SubmittedTransaction | undefined): NodeError | undefined {
  if (result === undefined) return { code: MISC, message: 'No miner answered.' };
  const { sent, endpoints, reason, checks } = result;
  if (sent && endpoints.some(({ accepted }) => accepted)) return undefined;
  const why = sent ? (endpoints.find((answer) => answer.reason !== null)?.reason ?? reason) : reason;
  const check: PreCheck | undefined = sent ? undefined : checks[0];
  const known = nodeErrors.get(check?.code ?? why?.code ?? '');
  if (known !== undefined) return known;
  if (why === null || why.retriedByItself) return { code: MISC, message: why?.text ?? 'No miner answered.' };
  // Miners pass a node's refusal on as "<code> <reason>".
  const [, code, text] = /^(\d{1,3}) (.+)$/.exec(why.text) ?? [];
  return rejected(code === undefined ? `16: ${why.text}` : `${code}: ${text}`);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
