import { BigNumber, Curve, ECDSA, Hash } from '@bsv/sdk';
import { describe, expect, it } from 'vitest';
import {
  blockFlags,
  chronicleRules,
  concatBytes,
  fromHex,
  genesisRules,
  interpretScripts,
  mempoolFlags,
  p2pkhScript,
  pushData,
  type ScriptRules,
  satoshis,
  serializeTx,
  sharedSighash,
  signatureDigest,
  spentOutputFlags,
  type Tx,
  type Utxo,
  verifyNatively,
  verifyScripts,
} from '../index.ts';
import { key, keyHash, otherKey } from '../test-support/fixtures.ts';
import { assemble } from '../test-support/script-vectors.ts';

const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const waiting: ScriptRules = { flags: mempoolFlags(true) | spentOutputFlags(true) };

/** A new block that spends an old output, and the reverse (which cannot occur): each rule depends on one of the two heights. */
const oldOutput: ScriptRules = { flags: blockFlags(true) | spentOutputFlags(false) };
const oldBlock: ScriptRules = { flags: blockFlags(false) | spentOutputFlags(true) };

function spending(locking: Uint8Array, unlocking: Uint8Array, version = 1): { tx: Tx; spent: Utxo[] } {
  const coin = { txid: 'cd'.repeat(32), vout: 3, satoshis: satoshis(5_000), lockingScript: locking };
  const inputs = [{ txid: coin.txid, vout: coin.vout, script: unlocking, sequence: 0xffffffff }];
  const outputs = [{ satoshis: satoshis(4_000), script: p2pkhScript(keyHash(otherKey)) }];
  return { tx: { version, inputs, outputs, lockTime: 0 }, spent: [coin] };
}

/** Whether a script pair succeeds, in the interpreter alone and with the compiled verifier. */
function agree(unlocking: string | Uint8Array, locking: string | Uint8Array, rules: ScriptRules, version = 1): boolean {
  const bytes = (script: string | Uint8Array) => (typeof script === 'string' ? assemble(script) : script);
  const { tx, spent } = spending(bytes(locking), bytes(unlocking), version);
  const verdict = interpretScripts(tx, spent, { rules });
  expect(verifyScripts(tx, spent, verifyNatively, rules)).toEqual(verdict);
  return verdict.ok;
}

/** The reason why a script pair fails. */
function refusal(unlocking: string | Uint8Array, locking: string, rules: ScriptRules, version = 1): string {
  const { tx, spent } = spending(
    assemble(locking),
    typeof unlocking === 'string' ? assemble(unlocking) : unlocking,
    version,
  );
  const verdict = interpretScripts(tx, spent, { rules });
  return verdict.ok ? 'none' : verdict.reason;
}

interface SignOptions {
  readonly version?: number;
  readonly type?: number;
  readonly highS?: boolean;
}

/** A push of a signature by `key` over a script code. */
function signed(scriptCode: Uint8Array, { version = 1, type = 0x41, highS = false }: SignOptions = {}): Uint8Array {
  const { tx, spent } = spending(new Uint8Array(), new Uint8Array(), version);
  const digest = signatureDigest(sharedSighash(tx), tx, 0, scriptCode, (spent[0] as Utxo).satoshis, type | 0x40);
  const signature = ECDSA.sign(new BigNumber(Array.from(digest)), key, true);
  if (highS) signature.s = new BigNumber(new Curve().n.toString(16), 16).sub(signature.s);
  return pushData(Uint8Array.of(...(signature.toDER() as number[]), type));
}

describe('the rules of the spent output', () => {
  it('determines the meaning of an opcode', () => {
    const cases: [unlocking: string, locking: string][] = [
      ["'abcdef' 1 2", "SUBSTR 'bc' EQUAL"],
      ["'abc' 2", "LEFT 'ab' EQUAL"],
      ["'abc' 2", "RIGHT 'bc' EQUAL"],
      ['5', '2MUL 10 NUMEQUAL'],
      ['-5', '2DIV -2 NUMEQUAL'],
      ['1 3', 'LSHIFTNUM 8 NUMEQUAL'],
      ['-9 1', 'RSHIFTNUM -4 NUMEQUAL'],
      ['', 'VER 0x04 0x01000000 EQUAL'],
      ['0x04 0x01000000', 'VERIF 1 ELSE 0 ENDIF'],
      ['0x04 0x02000000', 'VERNOTIF 1 ELSE 0 ENDIF'],
    ];
    for (const [unlocking, locking] of cases) {
      expect(
        [chronicleRules, oldBlock].map((rules) => agree(unlocking, locking, rules)),
        locking,
      ).toEqual([true, true]);
      expect(
        [genesisRules, oldOutput].map((rules) => agree(unlocking, locking, rules)),
        locking,
      ).toEqual([false, false]);
    }
    expect(agree('0x04 0x02000000', 'VERIF 1 ELSE 0 ENDIF', chronicleRules, 2)).toBe(true);
    // opcodes that were undefined stay undefined in old outputs
    expect(agree('1 1 1', 'SUBSTR LEFT RIGHT LSHIFTNUM RSHIFTNUM', oldOutput)).toBe(true);
  });

  it('limits the length of a number: 750,000 bytes, then 32,000,000', () => {
    expect(agree('1', '750000 NUM2BIN 1ADD 2 NUMEQUAL', genesisRules)).toBe(true);
    expect(agree('1', '750001 NUM2BIN 1ADD 2 NUMEQUAL', genesisRules)).toBe(false);
    expect(agree('1', '750001 NUM2BIN 1ADD 2 NUMEQUAL', oldOutput)).toBe(false);
    expect(agree('1', '750001 NUM2BIN 1ADD 2 NUMEQUAL', chronicleRules)).toBe(true);
    // a result may be no longer than the limit either
    const product = `1 ${8 * 400_000} LSHIFTNUM DUP MUL SIZE NIP 800001 NUMEQUAL`;
    expect(agree('', product, chronicleRules)).toBe(true);
    expect(refusal('1', '0 749999 NUM2BIN 1 CAT DUP ADD', genesisRules)).toBe('none');
    expect(refusal('1', '0 749999 NUM2BIN 0x01 0x7f CAT DUP ADD', genesisRules)).toBe(
      'A number is longer than 750000 bytes',
    );
  });

  const longest = 8 * 31_999_999;

  // Seconds of a processor: in the long run.
  it.runIf(process.env.PLANCHET_LONG)('accepts numbers of 32 MB', () => {
    expect(refusal('', `1 ${longest} LSHIFTNUM 1ADD SIZE NIP 32000000 NUMEQUAL`, chronicleRules)).toBe('none');
  });

  it('accepts no number that is a byte longer than 32 MB', { tags: 'long' }, () => {
    const reason = 'A number is longer than 32000000 bytes';
    expect(refusal('', `1 ${longest + 7} LSHIFTNUM`, chronicleRules)).toBe(reason);
    expect(refusal('1', '32000001 NUM2BIN 1ADD', chronicleRules)).toBe(reason);
  });
});

describe('the rules of the block', () => {
  const locking = p2pkhScript(keyHash(key));
  const spend = (options: SignOptions) => concatBytes(signed(locking, options), pushData(publicKey));

  it('allows 0x20 in a signature, under every rule set of the output', () => {
    for (const type of [0x61, 0x62, 0x63, 0xe1, 0xe2, 0xe3]) {
      expect(agree(spend({ type }), locking, chronicleRules)).toBe(true);
      expect(agree(spend({ type }), locking, oldOutput)).toBe(true);
      expect(agree(spend({ type }), locking, genesisRules)).toBe(false);
      expect(agree(spend({ type }), locking, oldBlock)).toBe(false);
      // the digest is the original one, not that of FORKID alone
      const other = spend({ type: type & ~0x20 });
      other[other[0] as number] = type;
      expect(agree(other, locking, chronicleRules)).toBe(false);
    }
    expect(refusal(spend({ type: 0x61 }), `DUP HASH160 0x14 0x${'00'.repeat(20)} EQUAL`, chronicleRules)).not.toBe(
      'none',
    );
    for (const type of [0x21, 0x01, 0x60, 0x64]) expect(agree(spend({ type }), locking, chronicleRules)).toBe(false);
  });

  it('exempts version 2, and no earlier version', () => {
    const relaxed: [what: string, unlocking: (version: number) => string | Uint8Array, locking: string | Uint8Array][] =
      [
        ['high S', (version) => spend({ version, highS: true }), locking],
        [
          'a failing signature that is not empty',
          () => concatBytes(signed(fromHex('51')), pushData(publicKey)),
          'CHECKSIG NOT',
        ],
        ['operations in an unlocking script', () => '1 2 ADD', '3 NUMEQUAL'],
        ['a stack with remaining elements', () => '7 1', 'NOP'],
        ['a push that is not minimal', () => '0x4c 0x01 0x07', '7 NUMEQUAL'],
        ['a number that is not minimal', () => '0x02 0x0700', '7 NUMEQUAL'],
        ['a dummy that is not empty', () => '1 0 0', 'CHECKMULTISIG'],
      ];
    for (const [what, unlocking, script] of relaxed) {
      expect(agree(unlocking(2), script, waiting, 2), what).toBe(true);
      expect(agree(unlocking(1), script, waiting, 1), what).toBe(false);
      const before = { flags: mempoolFlags(false) | spentOutputFlags(true) };
      expect(agree(unlocking(2), script, before, 2), what).toBe(false);
    }
    // of these rules, blocks only ever required the first three
    const required = relaxed.map(([, unlocking, script]) => !agree(unlocking(1), script, chronicleRules));
    expect(required).toEqual([true, true, true, false, false, false, false]);
  });

  it('exempts no version from rules that do not concern malleability', () => {
    expect(
      agree(concatBytes(signed(locking, { version: 2, type: 0x01 }), pushData(publicKey)), locking, waiting, 2),
    ).toBe(false);
    const padded = spend({ version: 2 });
    const longer = concatBytes(
      Uint8Array.of((padded[0] as number) + 1),
      padded.subarray(1, 1 + (padded[0] as number)),
      Uint8Array.of(0x41),
      pushData(publicKey),
    );
    expect(agree(longer, locking, waiting, 2)).toBe(false);
    expect(agree('NOP1 1', '1', waiting, 2)).toBe(false);
  });
});

describe('a signature check in an unlocking script', () => {
  const pubPush = pushData(publicKey);
  const check = Uint8Array.of(0xac);
  const locking = assemble('1 EQUAL');

  it('covers the script after the last separator, and the complete locking script', () => {
    const separator = Uint8Array.of(0xab);
    const code = concatBytes(pubPush, check, locking);
    const unlocking = concatBytes(signed(code, { version: 2 }), separator, pubPush, check);
    expect(agree(unlocking, locking, chronicleRules, 2)).toBe(true);
    expect(agree(unlocking, concatBytes(Uint8Array.of(0x61), locking), chronicleRules, 2)).toBe(false);
    const alone = concatBytes(signed(concatBytes(pubPush, check), { version: 2 }), separator, pubPush, check);
    expect(agree(alone, locking, chronicleRules, 2)).toBe(false);
    // without the block's flag the locking script is not covered; such a block never allows operations there
    const free: ScriptRules = { flags: (chronicleRules.flags & ~blockFlags(true)) | (1 << 16) | (1 << 1) };
    expect(agree(alone, locking, free, 2)).toBe(true);
    expect(agree(unlocking, locking, free, 2)).toBe(false);
  });

  it('covers the separators of the locking script, and excludes them under 0x20', () => {
    const separated = assemble('CODESEPARATOR 1 EQUAL');
    const after = concatBytes(pubPush, check);
    for (const type of [0x41, 0x61]) {
      const push = signed(concatBytes(after, separated), { version: 2, type });
      const unlocking = concatBytes(push, Uint8Array.of(0xab), after);
      expect(agree(unlocking, separated, chronicleRules, 2)).toBe(true);
      expect(agree(unlocking, concatBytes(Uint8Array.of(0xab), separated), chronicleRules, 2)).toBe(type === 0x61);
    }
  });

  it('does not remove the signature from the script code', () => {
    const code = concatBytes(pubPush, check, locking);
    const unlocking = concatBytes(signed(code, { version: 2 }), pubPush, check);
    expect(agree(unlocking, locking, chronicleRules, 2)).toBe(false);
  });

  it('applies the same rules to several signatures', () => {
    const rest = concatBytes(fromHex('51'), pubPush, fromHex('51ae'));
    const push = signed(concatBytes(rest, locking), { version: 2 });
    expect(agree(concatBytes(fromHex('00'), push, fromHex('ab'), rest), locking, chronicleRules, 2)).toBe(true);
  });
});

describe('what the node does and the SDK does not', () => {
  it('treats a key that is not a point, and a signature out of range, as invalid without failing the script', () => {
    const noPoint = Uint8Array.of(2, ...new Uint8Array(31), 5);
    const script = concatBytes(pushData(noPoint), assemble('CHECKSIG NOT'));
    expect(agree('0', script, genesisRules)).toBe(true);
    expect(agree(signed(script, { version: 2 }), script, chronicleRules, 2)).toBe(true);
    const own = concatBytes(pushData(publicKey), assemble('CHECKSIG NOT'));
    const zeros = pushData(fromHex('300602010002010041'));
    expect(agree(zeros, own, chronicleRules, 2)).toBe(true);
    expect(agree(zeros, own, chronicleRules, 1)).toBe(false);
  });

  it('continues parsing after an OP_RETURN in a conditional', () => {
    expect(agree('1', 'IF 1 RETURN ENDIF', chronicleRules)).toBe(true);
    expect(agree('1', 'IF 1 RETURN ENDIF 0 IF ELSE ENDIF 0xba', chronicleRules)).toBe(true);
    expect(agree('1', 'IF 1 RETURN ENDIF RETURN ENDIF 0x4c', chronicleRules)).toBe(true);
    for (const rest of ['ENDIF', 'ELSE', 'IF', 'IF ELSE ELSE ENDIF', '0x4c', '0x05 0x01']) {
      expect(agree('1', `IF 1 RETURN ENDIF ${rest}`, chronicleRules), rest).toBe(false);
    }
    // a Chronicle conditional counts in new outputs only
    expect(agree('1', 'IF 1 RETURN ENDIF VERIF', chronicleRules)).toBe(false);
    expect(agree('1', 'IF 1 RETURN ENDIF VERIF', oldOutput)).toBe(true);
  });

  it('limits the counts of keys and signatures to four bytes', () => {
    expect(agree('0 0 0', 'CHECKMULTISIG', chronicleRules)).toBe(true);
    expect(agree('0 0 0x05 0x0000000000', 'CHECKMULTISIG', chronicleRules, 2)).toBe(false);
    expect(agree('0 0x05 0x0000000000 0', 'CHECKMULTISIG', chronicleRules, 2)).toBe(false);
  });

  it('removes the separators behind an OP_RETURN from what 0x20 signs', () => {
    const locking = concatBytes(p2pkhScript(keyHash(key)), fromHex('6aab01abab'));
    const without = concatBytes(p2pkhScript(keyHash(key)), fromHex('6a01ab'));
    for (const code of [locking, without]) {
      expect(agree(concatBytes(signed(code, { type: 0x61 }), pushData(publicKey)), locking, chronicleRules)).toBe(true);
    }
    expect(agree(concatBytes(signed(without), pushData(publicKey)), locking, chronicleRules)).toBe(false);
  });
});

describe('a signature without the fork id', () => {
  it('covers all inputs of its transaction, in their order', () => {
    const locking = p2pkhScript(keyHash(key));
    const one = spending(locking, new Uint8Array());
    const spent = [1, 2, 3].map((vout) => ({ ...(one.spent[0] as Utxo), vout }));
    const unsigned: Tx = {
      ...one.tx,
      inputs: spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: vout })),
    };
    // As before the fork: the transaction with the script of the coin in place of the own one, and the type.
    const inputs = unsigned.inputs.map((input, own) => {
      const covered = unsigned.inputs.map((each, at) => (at === own ? { ...each, script: locking } : each));
      const digest = Hash.hash256([...serializeTx({ ...unsigned, inputs: covered }), 1, 0, 0, 0]);
      const signature = ECDSA.sign(new BigNumber(digest), key, true);
      const push = pushData(Uint8Array.of(...(signature.toDER() as number[]), 1));
      return { ...input, script: concatBytes(push, pushData(publicKey)) };
    });
    expect(interpretScripts({ ...unsigned, inputs }, spent, { flags: ['P2SH'] })).toEqual({ ok: true });
    const swapped = inputs.map((input, at) => (at === 0 ? { ...input, sequence: 9 } : input));
    expect(interpretScripts({ ...unsigned, inputs: swapped }, spent, { flags: ['P2SH'] })).toMatchObject({ ok: false });
  });
});
