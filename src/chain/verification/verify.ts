import LockingScript from '@bsv/sdk/script/LockingScript';
import UnlockingScript from '@bsv/sdk/script/UnlockingScript';
import type { Steps } from '../encoding/steps.ts';
import { type VerifySignature, verifyNatively } from '../keys/native-verifier.ts';
import type { ScriptBounds } from '../script/limits.ts';
import { chronicleRules, flagsNamed, flagsOfInput, type ScriptRules } from '../script/rules.ts';
import { ScriptCursor } from '../script/script.ts';
import { mismatchedInput, sharedSighash } from '../transaction/sighash.ts';
import type { Tx } from '../transaction/transaction.ts';
import type { Utxo } from '../transaction/utxo.ts';
import { isConfirmable, unconfirmedInputs } from './confirm.ts';
import { GuardedSpend } from './guarded-spend.ts';
import { BoundExceeded } from './operand-checks.ts';
import { hasValidStandardSignature } from './templates.ts';

/** Success, or the first input whose scripts fail and the reason. */
export type ScriptVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly input: number; readonly reason: string };

/** Verdict of {@link verifyInSteps}. If a limit was exceeded, `exceeded` names it. */
export type BoundedVerdict = ScriptVerdict & { readonly exceeded?: keyof ScriptBounds };

const lockingScriptOf = (bytes: Uint8Array) => new LockingScript([], bytes, undefined, false);
const unlockingScriptOf = (bytes: Uint8Array) => new UnlockingScript([], bytes, undefined, false);

/**
 * Verifies the scripts of every input. The compiled verifier, if there is one, confirms standard forms with one signature. Everything
 * else is run by {@link interpretScripts}, which asks the same verifier about each signature first and checks whatever it does not
 * confirm, so the verdicts are the same.
 * @param spent the spent outputs, one for each input in order.
 * @param verify the compiled verifier, or an equivalent one.
 * @param rules by the heights of the block and of the spent outputs; defaults to those of today's network.
 */
export function verifyScripts(
  tx: Tx,
  spent: readonly Utxo[],
  verify: VerifySignature | undefined = verifyNatively,
  rules: ScriptRules = chronicleRules,
): ScriptVerdict {
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) return mismatch(wrong);
  if (verify === undefined) return interpretScripts(tx, spent, { rules });
  const only = unconfirmedInputs(tx, spent, verify, rules);
  return only.size > 0 ? interpretScripts(tx, spent, { rules, only, confirm: verify }) : { ok: true };
}

function mismatch(input: number): ScriptVerdict {
  return { ok: false, input, reason: 'the spent output given is not the one this input spends' };
}

/**
 * Runs the scripts of inputs in the SDK's interpreter.
 * @param options.rules by the heights of the block and of the spent outputs; defaults to those of today's network.
 * @param options.flags rules by the node's flag names instead.
 * @param options.only the inputs to run; all by default.
 * @param options.confirm a faster verifier that is asked first about every signature; by default the interpreter checks all.
 */
export function interpretScripts(
  tx: Tx,
  spent: readonly Utxo[],
  options: {
    readonly rules?: ScriptRules;
    readonly flags?: readonly string[];
    readonly only?: ReadonlySet<number>;
    readonly confirm?: VerifySignature;
  } = {},
): ScriptVerdict {
  const { only, flags, ...rest } = options;
  const rules = flags === undefined ? (options.rules ?? chronicleRules) : { flags: flagsNamed(flags) };
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) return mismatch(wrong);
  for (const { index, spend } of spendsOf(tx, spent, { ...rest, rules }, (input) => only?.has(input) !== false)) {
    const failure = failureOf(() => spend.validate());
    if (failure !== undefined) return { ok: false, input: index, reason: failure.reason };
  }
  return { ok: true };
}

/** Opcodes counted, or inputs examined, in one step. */
const STEP_OPERATIONS = 1_024;
const STEP_INPUTS = 16;

/**
 * Same as {@link verifyScripts} for untrusted scripts: it runs one operation per step, so that the caller can count, yield and stop, and
 * its limits are tighter than the rules. A script that exceeds a limit is refused; the reason names the limit.
 * @param bounds per script. The caller limits the total number of steps and their time.
 */
export function* verifyInSteps(
  tx: Tx,
  spent: readonly Utxo[],
  bounds: ScriptBounds,
  verify: VerifySignature | undefined = verifyNatively,
): Steps<BoundedVerdict> {
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) return mismatch(wrong);
  const sighash = sharedSighash(tx);
  const only = new Set<number>();
  for (const [index, output] of spent.entries()) {
    const isKnown = verify !== undefined && isConfirmable(flagsOfInput(chronicleRules, index));
    if (!isKnown || !hasValidStandardSignature(tx, index, output, sighash, verify)) only.add(index);
    if (index % STEP_INPUTS === 0) yield '';
  }
  for (const index of only) {
    const scripts = [tx.inputs[index]?.script, spent[index]?.lockingScript] as readonly Uint8Array[];
    for (const script of scripts) {
      const excess = yield* excessOf(script, bounds);
      if (excess !== undefined) return { ok: false, input: index, ...excess };
    }
  }
  const options = { rules: chronicleRules, bounds, ...(verify ? { confirm: verify } : {}) };
  for (const { index, spend } of spendsOf(tx, spent, options, (input) => only.has(input))) {
    const run = spend.validateInSteps();
    let done = false;
    while (!done) {
      const failure = failureOf(() => {
        done = run.next().done === true;
      });
      if (failure !== undefined) return { ok: false, input: index, ...failure };
      yield '';
    }
  }
  return { ok: true };
}

/** Why a script is too large to run within the limits: the interpreter creates an object for each operation before it runs any. */
function* excessOf(script: Uint8Array, { operations, stackBytes }: ScriptBounds): Steps<Failure | undefined> {
  if (script.length > stackBytes)
    return { reason: `a script of ${script.length} bytes is longer than ${stackBytes}`, exceeded: 'stackBytes' };
  if (script.length <= operations) return undefined;
  const cursor = new ScriptCursor(script);
  let count = 0;
  for (let chunk = cursor.next(); chunk; chunk = cursor.next()) {
    if (++count > operations)
      return { reason: `a script has more than ${operations} operations`, exceeded: 'operations' };
    if (count % STEP_OPERATIONS === 0) yield '';
  }
  return undefined;
}

/** The inputs to run, each with the same interpreter set to it. */
function* spendsOf(
  tx: Tx,
  spent: readonly Utxo[],
  options: { readonly rules: ScriptRules; readonly confirm?: VerifySignature; readonly bounds?: ScriptBounds },
  isRun: (index: number) => boolean,
): Generator<{ readonly index: number; readonly spend: GuardedSpend }, void> {
  const { rules, confirm, bounds } = options;
  const inputs = tx.inputs.map(({ txid, vout, sequence }) => ({ sourceTXID: txid, sourceOutputIndex: vout, sequence }));
  const outputs = tx.outputs.map(({ satoshis, script }) => ({ satoshis, lockingScript: lockingScriptOf(script) }));
  const otherInputs = inputs.slice(1);
  let spend: GuardedSpend | undefined;
  for (const [index, input] of tx.inputs.entries()) {
    if (index > 0) otherInputs[index - 1] = inputs[index - 1] as (typeof inputs)[number];
    if (!isRun(index)) continue;
    const source = spent[index] as Utxo;
    const own = {
      sourceTXID: input.txid,
      sourceOutputIndex: input.vout,
      sourceSatoshis: source.satoshis,
      lockingScript: lockingScriptOf(source.lockingScript),
      unlockingScript: unlockingScriptOf(input.script),
      inputSequence: input.sequence,
      inputIndex: index,
    };
    const flags = flagsOfInput(rules, index);
    if (spend === undefined) {
      const shared = { otherInputs, outputs, transactionVersion: tx.version, lockTime: tx.lockTime };
      const params = { ...own, ...shared };
      spend = new GuardedSpend(tx, flags, params, { ...(confirm ? { confirm } : {}), ...(bounds ? { bounds } : {}) });
    } else {
      // one Spend serves all inputs, so that hashes over all inputs and outputs are computed once per transaction
      spend.use(flags, own);
    }
    yield { index, spend };
  }
}

interface Failure {
  readonly reason: string;
  readonly exceeded?: keyof ScriptBounds;
}

/** @param run throws if the scripts fail, also if they leave false on the stack */
function failureOf(run: () => void): Failure | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    const [line = 'the scripts fail'] = String(error instanceof Error ? error.message : error).split('\n');
    const reason = line.slice(0, 300);
    return error instanceof BoundExceeded ? { reason, exceeded: error.bound } : { reason };
  }
}
