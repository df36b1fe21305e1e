import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concatBytes,
  equalBytes,
  p2pkhScript,
  parseP2pkh,
  parseScript,
  pushData,
  serializeTx,
  type TxOutput,
  toHex,
  type Utxo,
} from '../../chain/index.ts';
import { decodeToken, kindOf } from '../parameters/decode.ts';
import {
  coin,
  type ForgedInput,
  type Forgery,
  forge,
  hashOf,
  holds,
  judge,
  judgeInput,
  out,
  outpoint,
  parentOf,
  spendOf,
  tokenScript,
} from '../test-support/forge.ts';
import { keys } from '../test-support/keys.ts';
import type { TokenSpend } from './template.ts';

const MUTATIONS = process.env.PLANCHET_LONG ? 100_000 : 250;
const FORGERIES = process.env.PLANCHET_LONG ? 10_000 : 60;
const { alice, bob, carol, issuer, mallory, payer } = keys;
const sats = (n: number) => n as Utxo['satoshis'];

/** The rules, reimplemented from the transaction alone: which outputs are allowed for the given tokens. */
function isAllowed({ tx, spent }: Forgery): boolean {
  const tokens = spent.flatMap((utxo) => {
    const token = decodeToken(utxo.lockingScript);
    return token ? [{ token, satoshis: utxo.satoshis }] : [];
  });
  const [first] = tokens;
  if (first === undefined || spent.length > tokens.length + 1) return false;
  const total = tokens.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const kind = kindOf(first.token);
  const isToken = ({ script }: TxOutput) => {
    const token = decodeToken(script);
    return token !== undefined && equalBytes(kindOf(token), kind);
  };
  const hasPayment = spent.length > tokens.length;
  // a first output that is P2PKH to the redemption hash can be read as a redemption or as change
  return [true, false].some((redeems) => {
    const rest = [...tx.outputs];
    let left = total;
    const redeemed = redeems ? rest.shift() : undefined;
    if (redeems && !(redeemed && equalBytes(parseP2pkh(redeemed.script) ?? kind, first.token.redemption))) return false;
    left -= redeemed?.satoshis ?? 0;
    let count = 0;
    while (rest[0] && isToken(rest[0])) {
      left -= (rest.shift() as TxOutput).satoshis;
      count += 1;
    }
    const values = count + (redeems ? 1 : 0);
    const changes = rest.length === 0 || (rest.length === 1 && hasPayment && parseP2pkh((rest[0] as TxOutput).script));
    const positive = tx.outputs.every(({ satoshis }) => satoshis > 0);
    return left === 0 && count <= 4 && changes && positive && (first.token.splittable || values === 1);
  });
}

const amount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(0, 1, 10, 100, 127, 128, 255, 256, 1_000));
const people = [alice, bob, carol, issuer, mallory];
const person = fc.constantFrom(...people);

const attack = fc.record({
  version: fc.constantFrom(1 as const, 2 as const),
  splittable: fc.boolean(),
  merging: fc.boolean(),
  payment: fc.boolean(),
  redeemed: fc.option(amount, { nil: undefined }),
  tokens: fc.array(fc.record({ amount, person }), { maxLength: 4 }),
  change: fc.option(fc.record({ amount, person }), { nil: undefined }),
  /** Makes the input amount equal the sum of the claims, so that most attempts are nearly valid. */
  balanced: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
  /** How the transaction differs from the claims. */
  lie: fc.constantFrom('nothing', 'nothing', 'nothing', 'amount', 'drop', 'repeat', 'swap', 'script'),
  at: fc.nat({ max: 6 }),
  txVersion: fc.constantFrom(1, 2),
});

type Attack = typeof attack extends fc.Arbitrary<infer T> ? T : never;

function outputsOf(given: Attack): TxOutput[] {
  const { version, splittable, redeemed, tokens, change, lie, at } = given;
  const outputs = [
    ...(redeemed ? [out(p2pkhScript(hashOf(issuer)), redeemed)] : []),
    ...tokens
      .filter((token) => token.amount > 0)
      .map((token) => out(tokenScript(token.person, version, { splittable }), token.amount)),
    ...(change?.amount ? [out(p2pkhScript(hashOf(change.person)), change.amount)] : []),
  ];
  const index = outputs.length === 0 ? 0 : at % outputs.length;
  const chosen = outputs[index];
  if (chosen === undefined) return outputs;
  if (lie === 'amount') outputs[index] = out(chosen.script, chosen.satoshis + 1);
  if (lie === 'drop') outputs.splice(index, 1);
  if (lie === 'repeat') outputs.splice(index, 0, chosen);
  if (lie === 'swap') outputs.reverse();
  if (lie === 'script')
    outputs[index] = out(tokenScript(mallory, version, { splittable, symbol: 'CAFF' }), chosen.satoshis);
  return outputs;
}

function forgeryOf(given: Attack): Forgery {
  const { version, splittable, payment, redeemed, tokens, change, balanced } = given;
  const merging = given.merging && version === 2;
  const claimed = (redeemed ?? 0) + tokens.reduce((sum, token) => sum + token.amount, 0);
  const total = Math.max(balanced ? claimed : claimed + 1, merging ? 2 : 1);
  const amounts = merging ? [1, total - 1] : [total];
  const parents = amounts.map((part) => parentOf([out(tokenScript(alice, version, { splittable }), part)], 0));
  const pay = coin(payer, 10_000);
  const inputs: ForgedInput[] = parents.map(({ utxo }, index) => {
    const other = parents[1 - index];
    const claim: TokenSpend = {
      ...(redeemed === undefined ? {} : { redeemed: sats(redeemed) }),
      tokens: tokens.map((token) => ({ satoshis: sats(token.amount), owner: hashOf(token.person) })),
      ...(change?.amount ? { change: { satoshis: sats(change.amount), keyHash: hashOf(change.person) } } : {}),
      ...(payment ? { payment: outpoint(pay) } : {}),
      ...(merging && other
        ? { merge: { other: outpoint(other.utxo), second: index === 1, previousTx: serializeTx(other.tx) } }
        : {}),
    };
    // a slot with amount zero is empty and has no owner
    const claims = (pushes: Uint8Array[]) => pushes.filter((_, at) => !isOwnerOfNothing(pushes, at));
    return { utxo, key: alice, version, claim, claims };
  });
  if (payment) inputs.push({ utxo: pay, key: payer });
  return forge(inputs, outputsOf(given), 0, given.txVersion);
}

function isOwnerOfNothing(pushes: readonly Uint8Array[], at: number): boolean {
  return pushes[at]?.length === 21 && pushes[at]?.[0] === 20 && pushes[at + 1]?.[0] === 0;
}

describe('the covenant under fuzzing', () => {
  it('accepts exactly the transactions that the independent rules allow', { timeout: 600_000 }, () => {
    let passed = 0;
    let refused = 0;
    fc.assert(
      fc.property(attack, (given) => {
        const forgery = forgeryOf(given);
        const verdict = judge(forgery).ok;
        // merging requires splittable tokens, which the independent rules do not check
        const allowed = isAllowed(forgery) && !(given.merging && given.version === 2 && !given.splittable);
        if (verdict) passed += 1;
        else refused += 1;
        // before and after Chronicle, in version 1 and version 2
        expect(holds(forgery)).toBe(verdict);
        if (verdict) expect(allowed).toBe(true);
        // a false claim is refused even if the transaction is allowed: for example a redemption claimed as change
        if (allowed && given.lie === 'nothing' && given.change?.person !== issuer) expect(verdict).toBe(true);
      }),
      { numRuns: FORGERIES, seed: 5 },
    );
    expect(Math.min(passed, refused)).toBeGreaterThan(FORGERIES / 20);
  });

  it('rejects every mutation of an unlocking script that changes its meaning', { timeout: 600_000 }, () => {
    const bases = [transferBase(1), transferBase(2), splitBase(), mergeBase()];
    const changed: string[] = [];
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.nat({ max: bases.length - 1 }),
        fc.array(fc.record({ kind: fc.nat({ max: 5 }), at: fc.nat(), value: fc.nat({ max: 255 }) }), {
          minLength: 1,
          maxLength: 2,
        }),
        (index, mutations) => {
          const base = bases[index] as Base;
          const script = mutations.reduce(mutate, base.script);
          if (!base.accepts(script)) return;
          accepted += 1;
          if (meaning(base.version, script) !== base.meaning) changed.push(`${index}: ${toHex(script)}`);
        },
      ),
      { numRuns: MUTATIONS, seed: 6 },
    );
    expect(changed).toEqual([]);
    // sanity check: other encodings of the same claims do pass
    expect(accepted).toBeGreaterThan(0);
  });
});

interface Base {
  readonly version: 1 | 2;
  readonly meaning: string;
  readonly script: Uint8Array;
  readonly accepts: (script: Uint8Array) => boolean;
}

/** Evaluates many unlocking scripts of one input. The transaction is constant, so each signature is verified once. */
function baseOf(version: 1 | 2, forgery: Forgery): Base {
  const known = new Map<string, boolean>();
  const accepts = (script: Uint8Array): boolean => {
    const tx = { ...forgery.tx, inputs: forgery.tx.inputs.map((input, i) => (i === 0 ? { ...input, script } : input)) };
    const spend = spendOf({ ...forgery, tx }, 0) as unknown as Verifying;
    const verify = spend.verifySignature.bind(spend);
    spend.verifySignature = (signature, key, subscript) => {
      const id = `${signature.toDER('hex')} ${signature.scope} ${key.toString()}`;
      let holds = known.get(id);
      if (holds === undefined) {
        holds = verify(signature, key, subscript);
        known.set(id, holds);
      }
      return holds;
    };
    return judgeInput({ ...forgery, tx }, 0, [], spend as never).ok;
  };
  const script = forgery.tx.inputs[0]?.script as Uint8Array;
  expect(accepts(script)).toBe(true);
  return { version, meaning: meaning(version, script), script, accepts };
}

interface Verifying {
  verifySignature: (
    signature: { toDER: (form: 'hex') => string; scope: number },
    key: { toString: () => string },
    subscript: unknown,
  ) => boolean;
}

function transferBase(version: 1 | 2): Base {
  const token = parentOf([out(tokenScript(alice, version), 1_000)], 0).utxo;
  const pay = coin(payer, 5_000);
  const claim: TokenSpend = {
    tokens: [{ satoshis: sats(1_000), owner: hashOf(bob) }],
    payment: outpoint(pay),
    change: { satoshis: sats(4_000), keyHash: hashOf(payer) },
  };
  const inputs = [
    { utxo: token, key: alice, version, claim },
    { utxo: pay, key: payer },
  ];
  return baseOf(
    version,
    forge(inputs, [out(tokenScript(bob, version), 1_000), out(p2pkhScript(hashOf(payer)), 4_000)]),
  );
}

function splitBase(): Base {
  const token = parentOf([out(tokenScript(alice, 2), 1_000)], 0).utxo;
  const owners = [bob, carol, alice];
  const parts = [500, 300, 190];
  const claim: TokenSpend = {
    redeemed: sats(10),
    tokens: parts.map((part, i) => ({ satoshis: sats(part), owner: hashOf(owners[i] as typeof bob) })),
  };
  const outputs = parts.map((part, i) => out(tokenScript(owners[i] as typeof bob, 2), part));
  return baseOf(2, forge([{ utxo: token, key: alice, claim }], [out(p2pkhScript(hashOf(issuer)), 10), ...outputs]));
}

function mergeBase(): Base {
  const [a, b] = [600, 400].map((part) => parentOf([out(tokenScript(alice, 2), part)], 0)) as [
    ReturnType<typeof parentOf>,
    ReturnType<typeof parentOf>,
  ];
  const claim = (other: typeof a, second: boolean): TokenSpend => ({
    tokens: [{ satoshis: sats(1_000), owner: hashOf(bob) }],
    merge: { other: outpoint(other.utxo), second, previousTx: serializeTx(other.tx) },
  });
  const inputs = [
    { utxo: a.utxo, key: alice, claim: claim(b, false) },
    { utxo: b.utxo, key: alice, claim: claim(a, true) },
  ];
  return baseOf(2, forge(inputs, [out(tokenScript(bob, 2), 1_000)]));
}

function mutate(script: Uint8Array, { kind, at, value }: { kind: number; at: number; value: number }): Uint8Array {
  const { chunks } = parseScript(script);
  const place = at % script.length;
  const index = at % chunks.length;
  const pushes = chunks.map(({ offset }, i) => script.subarray(offset, chunks[i + 1]?.offset ?? script.length));
  const chosen = pushes[index] as Uint8Array;
  switch (kind) {
    case 0:
      return script.map((byte, i) => (i === place ? byte ^ (1 << (value % 8)) : byte));
    case 1:
      return concatBytes(script.subarray(0, place), Uint8Array.of(value), script.subarray(place));
    case 2:
      return concatBytes(script.subarray(0, place), script.subarray(place + 1));
    case 3:
      return concatBytes(...pushes.toSpliced(index, 0, pushes[value % pushes.length] as Uint8Array));
    case 4:
      return concatBytes(
        ...pushes.toSpliced(index, 1, value % 2 ? pushData(Uint8Array.of(value)) : Uint8Array.of(0x50 + (value % 17))),
      );
    default: {
      // the same bytes, pushed in a form that is not minimal
      const data = chunks[index]?.data;
      return data && data.length < 256
        ? concatBytes(...pushes.toSpliced(index, 1, concatBytes(Uint8Array.of(0x4c, data.length), data)))
        : concatBytes(...pushes.toSpliced(index, 1), chosen);
    }
  }
}

/** The outputs that an unlocking script claims, read from the last push to the first, like the covenant. */
function meaning(version: 1 | 2, script: Uint8Array): string {
  const items = parseScript(script).chunks.map(({ op, data }) =>
    op >= 0x51 && op <= 0x60 ? Uint8Array.of(op - 0x50) : op === 0x4f ? Uint8Array.of(0x81) : (data ?? Uint8Array.of()),
  );
  const next = () => items.pop() ?? new Uint8Array(0);
  const isTrue = (item: Uint8Array) => numberOf(item) !== '0';
  // key, signature, preimage
  for (let i = 0; i < 3; i++) next();
  if (version === 2 && isTrue(next())) for (let i = 0; i < 7; i++) next();
  const said = [`payment ${toHex(next())}`, `redeemed ${numberOf(next())}`];
  for (let slot = 0; slot <= 4; slot++) {
    const amount = numberOf(next());
    if (amount !== '0') said.push(`${slot === 4 ? 'change' : 'token'} ${amount} ${toHex(next())}`);
  }
  return said.join(', ');
}

function numberOf(data: Uint8Array): string {
  const bytes = [...data];
  const last = bytes.pop() ?? 0;
  const magnitude = [...bytes, last & 0x7f].reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return String(last & 0x80 ? -magnitude : magnitude);
}
