import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chronicleRules,
  concatBytes,
  genesisRules,
  mempoolFlags,
  OP,
  p2pkhScript,
  parseScript,
  pushData,
  serializeTx,
  sighashPreimage,
  spentOutputFlags,
  type Tx,
  txidOf,
  type Utxo,
} from '../../chain/index.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  holds,
  out,
  outpoint,
  parentOf,
  tokenScript,
} from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import { attempt, changeOut, redemptionScript, type SpendCase, tokenOut, tokens } from '../test-support/spend-case.ts';
import { covenant } from './covenant.ts';
import type { TokenSpend } from './template.ts';

const LIVES = process.env.PLANCHET_LONG ? 2_000 : 6;
const COMPUTED = process.env.PLANCHET_LONG ? 5_000 : 30;
const { alice, bob, issuer, mallory, payer } = keys;
const sats = (n: number) => n as Utxo['satoshis'];
const HASH_TYPES = [0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x61, 0x62, 0x63, 0xe1, 0xe2, 0xe3];
const waiting = { flags: mempoolFlags(true) | spentOutputFlags(true) };

/** The same transaction with a different first unlocking script, which signatures do not cover. */
function unlockedBy(forgery: Forgery, script: Uint8Array): Forgery {
  const inputs = forgery.tx.inputs.map((input, index) => (index === 0 ? { ...input, script } : input));
  return { ...forgery, tx: { ...forgery.tx, inputs } };
}

function unlocking({ tx }: Forgery): Uint8Array {
  return tx.inputs[0]?.script as Uint8Array;
}

/** Ways to leave the same element on the stack. @param push of the element, @param data of it */
const computations: readonly ((push: Uint8Array, data: Uint8Array) => Uint8Array)[] = [
  (push) => push,
  (_, data) => concatBytes(pushData(data.subarray(0, 3)), pushData(data.subarray(3)), Uint8Array.of(0x7e)),
  (push) => concatBytes(push, Uint8Array.of(0x76, 0x75)),
  (push) => concatBytes(push, Uint8Array.of(0x6b, 0x6c)),
  (push) => concatBytes(Uint8Array.of(0x51, OP.IF), push, Uint8Array.of(OP.ELSE, 0x00, OP.ENDIF)),
  (push) => concatBytes(Uint8Array.of(0x62, OP.VERNOTIF, 0x00, OP.ELSE), push, Uint8Array.of(OP.ENDIF)),
  (push) => concatBytes(Uint8Array.of(OP.CODESEPARATOR), push),
  (push) => concatBytes(push, Uint8Array.of(0x82, OP.LEFT)),
  (_, data) => concatBytes(pushData(data.map((byte) => ~byte)), Uint8Array.of(0x83)),
  (_, data) => concatBytes(Uint8Array.of(0x4d, data.length & 0xff, data.length >> 8), data),
];

/** An unlocking script that computes the pushes of another one, in the given ways. */
function computed(script: Uint8Array, ways: readonly number[], remains: boolean): Uint8Array {
  const { chunks } = parseScript(script);
  const parts = chunks.map(({ offset, data }, index) => {
    const push = script.subarray(offset, chunks[index + 1]?.offset ?? script.length);
    const way = computations[(ways[index % ways.length] ?? 0) % computations.length];
    return data === undefined || way === undefined ? push : way(push, data);
  });
  return concatBytes(remains ? Uint8Array.of(0x57, 0x00, 0x51) : new Uint8Array(), ...parts);
}

/** Valid spends and forgeries of one token. The covenant's own tests cover many more. */
const cases: readonly (SpendCase & { readonly honest: boolean })[] = [
  { name: 'a transfer', honest: true, outputs: [] },
  { name: 'a split', honest: true, outputs: [], claim: tokens(300, 700) },
  { name: 'a token too large', honest: false, outputs: [], claim: tokens(1_001) },
  { name: 'a token too small', honest: false, outputs: [], claim: tokens(999) },
  { name: 'a split that inflates', honest: false, outputs: [], claim: tokens(600, 600) },
  {
    name: 'a redemption',
    honest: true,
    outputs: [out(redemptionScript, 1_000)],
    claim: { tokens: [], redeemed: sats(1_000) },
  },
  {
    name: 'a redemption elsewhere',
    honest: false,
    outputs: [out(p2pkhScript(hashOf(mallory)), 1_000)],
    claim: { tokens: [], redeemed: sats(1_000) },
  },
  {
    name: 'an output nobody claims',
    honest: false,
    outputs: [out(p2pkhScript(hashOf(mallory)), 1)],
    claim: tokens(1_000),
  },
];

/** A case as a transaction with this version number. */
function caseOf(version: 1 | 2, one: SpendCase, txVersion: number): Forgery {
  const claimed = one.claim?.tokens ?? tokens(1_000).tokens;
  const made = claimed.map(({ satoshis }, index) => tokenOut(version, satoshis, index));
  const { redeemed } = one.claim ?? {};
  const outputs = redeemed === undefined ? [...made, ...one.outputs] : [...one.outputs, ...made];
  return attempt(version, { ...one, outputs: [...outputs, changeOut] }, txVersion);
}

describe.each([1, 2] as const)('covenant version %i under Chronicle', (version) => {
  it('uses no operation whose meaning depends on the rule set', () => {
    const changed = new Set([0x62, 0x65, 0x66, 0x8d, 0x8e, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7]);
    const { chunks, ok } = parseScript(covenant(version).code);
    expect(ok).toBe(true);
    expect(chunks.filter(({ op }) => changed.has(op))).toEqual([]);
  });

  it('accepts and rejects the same spends under every rule set and version', () => {
    for (const one of cases) {
      const verdicts = [1, 2].flatMap((txVersion) =>
        [genesisRules, chronicleRules, waiting].map((rules) => holds(caseOf(version, one, txVersion), rules)),
      );
      expect(verdicts, one.name).toEqual(verdicts.map(() => one.honest));
    }
  });

  it('accepts an unlocking script that computes, by the stack it leaves', { timeout: 300_000 }, () => {
    const ways = fc.array(fc.nat({ max: computations.length - 1 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...cases), ways, fc.boolean(), (one, chosen, remains) => {
        const pushed = caseOf(version, one, 2);
        const script = computed(unlocking(pushed), chosen, remains);
        expect(holds(unlockedBy(pushed, script))).toBe(one.honest);
        expect(holds(unlockedBy(pushed, script), waiting)).toBe(one.honest);
        // transactions before Chronicle, and of version 1, may not compute
        const first = caseOf(version, one, 1);
        const computes = chosen.some((way) => way > 0 && way < computations.length - 1);
        if (computes && first.tx.inputs[0]) {
          const again = computed(unlocking(first), [1, 2], remains);
          expect(holds(unlockedBy(first, again))).toBe(false);
          expect(holds(unlockedBy(pushed, again), genesisRules)).toBe(false);
        }
      }),
      { numRuns: COMPUTED, seed: 8 },
    );
  });

  it('rejects an unlocking script that ends early, leaves a conditional open or checks a signature itself', () => {
    for (const one of cases) {
      const forgery = caseOf(version, one, 2);
      const script = unlocking(forgery);
      const key = pushData(Uint8Array.from(alice.toPublicKey().toDER() as number[]));
      for (const attack of [
        Uint8Array.of(0x51, OP.RETURN),
        concatBytes(script, Uint8Array.of(0x51, OP.RETURN)),
        concatBytes(script, Uint8Array.of(0x51, OP.IF)),
        concatBytes(Uint8Array.of(0x00, OP.IF), script),
        concatBytes(script, Uint8Array.of(0x00, 0x51)),
        concatBytes(Uint8Array.of(0x00), key, Uint8Array.of(OP.CHECKSIG, 0x91)),
        concatBytes(script.subarray(0, 0), Uint8Array.of(0x51)),
      ]) {
        expect(holds(unlockedBy(forgery, attack))).toBe(false);
      }
    }
  });

  it('accepts every hash type of the owner, and the preimage of 0x41 only', () => {
    const token = parentOf([out(tokenScript(alice, version), 1_000)], 0).utxo;
    const claim: TokenSpend = { tokens: [{ satoshis: sats(1_000), owner: hashOf(bob) }] };
    const spend = (parts: Partial<ForgedInput>, txVersion: number, amount = 1_000) =>
      forge(
        [{ utxo: token, key: alice, version, claim, ...parts }],
        [out(tokenScript(bob, version), amount)],
        0,
        txVersion,
      );
    for (const txVersion of [1, 2]) {
      for (const type of HASH_TYPES) {
        expect(holds(spend({ signedAs: type }, txVersion)), `owner ${type}`).toBe(true);
        // the owner's hash type does not affect the covenant's preimage, which always covers the outputs
        expect(holds(spend({ signedAs: type }, txVersion, 1_001)), `owner ${type} forging`).toBe(false);
        expect(holds(spend({ signedAs: type }, txVersion), genesisRules)).toBe((type & 0x20) === 0);
        if (type === 0x41) continue;
        const preimage = (_: Uint8Array, tx: Tx) => sighashPreimage(tx, 0, token.lockingScript, token.satoshis, type);
        expect(holds(spend({ preimage }, txVersion)), `preimage ${type}`).toBe(false);
        expect(holds(spend({ preimage, signedAs: type }, txVersion)), `both ${type}`).toBe(false);
      }
    }
  });

  it('accepts numbers that are not minimal', () => {
    for (const one of cases) {
      const forgery = caseOf(version, one, 2);
      const { chunks } = parseScript(unlocking(forgery));
      for (const [at, { data }] of chunks.entries()) {
        if (data === undefined || data.length > 8) continue;
        const longer = chunks.map((chunk, index) => {
          const push = unlocking(forgery).subarray(
            chunk.offset,
            chunks[index + 1]?.offset ?? unlocking(forgery).length,
          );
          return index === at ? pushData(concatBytes(data, new Uint8Array(2))) : push;
        });
        const verdict = holds(unlockedBy(forgery, concatBytes(...longer)));
        if (!one.honest) expect(verdict, `${one.name} ${at}`).toBe(false);
      }
    }
  });
});

/** One step of a token's life: the action, the transaction version and the unlocking script. */
const step = fc.record({
  action: fc.constantFrom('transfer', 'split', 'redeem', 'merge', 'forge'),
  pick: fc.nat(),
  share: fc.nat(),
  txVersion: fc.constantFrom(1, 2),
  ways: fc.array(fc.nat({ max: computations.length - 1 }), { minLength: 1, maxLength: 5 }),
  signedAs: fc.constantFrom(...HASH_TYPES),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Held {
  readonly utxo: Utxo;
  readonly tx: Tx;
}

/** Performs a step. @returns the resulting tokens and the redeemed amount */
function take(held: readonly Held[], given: Step): { held: Held[]; redeemed: number } {
  const { action, pick, share, txVersion, ways, signedAs } = given;
  const own = held[pick % held.length] as Held;
  const other = action === 'merge' ? held.find((one) => one !== own) : undefined;
  const total = own.utxo.satoshis + (other?.utxo.satoshis ?? 0);
  const part = 1 + (share % Math.max(total - 1, 1));
  const redeemed = action === 'redeem' ? Math.min(part, total) : 0;
  const left = total - redeemed;
  const parts =
    action === 'split' && left > 1
      ? [Math.min(part, left - 1), left - Math.min(part, left - 1)]
      : left > 0
        ? [left]
        : [];
  const inflated = action === 'forge' ? parts.map((amount, index) => amount + (index === 0 ? 1 : 0)) : parts;
  const claimOf = (rival: Held | undefined, second: boolean): TokenSpend => ({
    ...(redeemed > 0 ? { redeemed: sats(redeemed) } : {}),
    tokens: inflated.map((amount) => ({ satoshis: sats(amount), owner: hashOf(alice) })),
    payment: outpoint(pay),
    ...(rival ? { merge: { other: outpoint(rival.utxo), second, previousTx: serializeTx(rival.tx) } } : {}),
  });
  const pay = coin(payer, 1_000);
  const inputs: ForgedInput[] = [{ utxo: own.utxo, key: alice, claim: claimOf(other, false), signedAs }];
  // SINGLE by the original algorithm signs nothing if an input has no matching output
  const second = (signedAs & 0x1f) === 3 ? signedAs - 2 : signedAs;
  if (other) inputs.push({ utxo: other.utxo, key: alice, claim: claimOf(own, true), signedAs: second });
  inputs.push({ utxo: pay, key: payer, signedAs: 0x41 });
  const outputs = [
    ...(redeemed > 0 ? [out(p2pkhScript(hashOf(issuer)), redeemed)] : []),
    ...inflated.map((amount) => out(tokenScript(alice, 2), amount)),
  ];
  const pushed = forge(inputs, outputs, 0, txVersion);
  const forgery = txVersion === 2 ? unlockedBy(pushed, computed(unlocking(pushed), ways, true)) : pushed;
  expect(holds(forgery), JSON.stringify(given)).toBe(action !== 'forge');
  if (action === 'forge') return { held: [...held], redeemed: 0 };
  const rest = held.filter((one) => one !== own && one !== other);
  const first = redeemed > 0 ? 1 : 0;
  const made = parts.map((_, index) => {
    const spent = parentOfOutput(forgery.tx, first + index);
    return { utxo: spent, tx: forgery.tx };
  });
  return { held: [...rest, ...made], redeemed };
}

function parentOfOutput(tx: Tx, vout: number): Utxo {
  const { satoshis, script } = tx.outputs[vout] as Tx['outputs'][number];
  return { txid: txidOf(tx), vout, satoshis, lockingScript: script };
}

describe('random lives under Chronicle', () => {
  it('create and lose no value, for any version, hash type and computation in each step', {
    timeout: 600_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 3, maxLength: 6 }), (steps) => {
        const { tx, utxo } = parentOf([out(tokenScript(alice, 2), 1_000)], 0);
        let held: Held[] = [{ utxo, tx }];
        let redeemed = 0;
        for (const one of steps) {
          if (held.length === 0) break;
          const after = take(held, one);
          held = after.held;
          redeemed += after.redeemed;
          expect(held.reduce((sum, { utxo: { satoshis } }) => sum + satoshis, 0) + redeemed).toBe(1_000);
        }
      }),
      { numRuns: LIVES, seed: 9 },
    );
  });
});
