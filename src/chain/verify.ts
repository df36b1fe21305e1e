import { LockingScript, type Spend, UnlockingScript } from '@bsv/sdk';
import { unconfirmedInputs } from './confirm.ts';
import { GuardedSpend } from './guarded-spend.ts';
import { type VerifySignature, verifyNatively } from './native-verifier.ts';
import { mismatchedInput } from './sighash.ts';
import type { Tx } from './transaction.ts';
import type { Utxo } from './utxo.ts';

/** Whether all scripts agree, or the first input that does not and why. */
export type ScriptVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly input: number; readonly reason: string };

/** What blocks must obey after Genesis, in the node's names of its script flags. */
const scriptFlags: readonly string[] = [
  'GENESIS',
  'UTXO_AFTER_GENESIS',
  'STRICTENC',
  'DERSIG',
  'LOW_S',
  'NULLFAIL',
  'SIGHASH_FORKID',
  'SIGPUSHONLY',
];

const lockingScriptOf = (bytes: Uint8Array) => new LockingScript([], bytes, undefined, false);
const unlockingScriptOf = (bytes: Uint8Array) => new UnlockingScript([], bytes, undefined, false);

/**
 * Checks every input's scripts under the rules after Genesis: signatures with the fork id, strict DER, low S, unlocking scripts that
 * only push. The common forms with one signature are confirmed by a compiled verifier where there is one; everything else, and
 * whatever it does not confirm, is run by {@link interpretScripts}, which asks the same verifier about each signature first and judges
 * itself what that does not confirm, so the verdicts are the same.
 * @param spent the spent outputs, one for each input in order.
 * @param verify the compiled verifier, or another that answers the same.
 */
export function verifyScripts(
  tx: Tx,
  spent: readonly Utxo[],
  verify: VerifySignature | undefined = verifyNatively,
): ScriptVerdict {
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) return mismatch(wrong);
  if (verify === undefined) return interpretScripts(tx, spent);
  const only = unconfirmedInputs(tx, spent, verify);
  return only.size > 0 ? interpretScripts(tx, spent, { only, confirm: verify }) : { ok: true };
}

function mismatch(input: number): ScriptVerdict {
  return { ok: false, input, reason: 'the spent output given is not the one this input spends' };
}

/**
 * Runs inputs' scripts in the SDK's interpreter.
 * @param options.flags rules in the node's names; those after Genesis where left out.
 * @param options.only which inputs are run; all where left out.
 * @param options.confirm a faster verifier that is asked first about every signature; the interpreter alone judges where left out.
 */
export function interpretScripts(
  tx: Tx,
  spent: readonly Utxo[],
  options: {
    readonly flags?: readonly string[];
    readonly only?: ReadonlySet<number>;
    readonly confirm?: VerifySignature;
  } = {},
): ScriptVerdict {
  const { flags = scriptFlags, only, confirm } = options;
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) return mismatch(wrong);
  const inputs = tx.inputs.map(({ txid, vout, sequence }) => ({ sourceTXID: txid, sourceOutputIndex: vout, sequence }));
  const outputs = tx.outputs.map(({ satoshis, script }) => ({ satoshis, lockingScript: lockingScriptOf(script) }));
  const otherInputs = inputs.slice(1);
  let spend: Spend | undefined;
  for (const [index, input] of tx.inputs.entries()) {
    if (index > 0) otherInputs[index - 1] = inputs[index - 1] as (typeof inputs)[number];
    if (only?.has(index) === false) continue;
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
    if (spend === undefined) {
      const shared = { otherInputs, outputs, transactionVersion: tx.version, lockTime: tx.lockTime };
      spend = new GuardedSpend({ ...own, ...shared, verifyFlags: [...flags] }, confirm);
    } else {
      // one Spend goes from input to input, so the hashes over all inputs and outputs that it caches are made once a transaction
      Object.assign(spend, own);
    }
    const reason = failureOf(spend);
    if (reason !== undefined) return { ok: false, input: index, reason };
  }
  return { ok: true };
}

function failureOf(spend: Spend): string | undefined {
  try {
    return spend.validate() ? undefined : 'the scripts leave false';
  } catch (error) {
    // the rest of the SDK's message dumps the whole stack
    const [line = 'the scripts fail'] = String(error instanceof Error ? error.message : error).split('\n');
    return line.replace(/^Script evaluation error: /, '').slice(0, 300);
  }
}
