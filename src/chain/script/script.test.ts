import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classifyScript,
  concatBytes,
  dataScript,
  fromHex,
  hash160,
  isDataOutput,
  opcodeName,
  p2pkhScript,
  parseScript,
  pushData,
  scriptNumber,
  toAsm,
  toHex,
} from '../index.ts';
import { key, keyHash } from '../test-support/fixtures.ts';

const publicKey = Uint8Array.from(key.toPublicKey().toDER() as number[]);
const asm = (hex: string, scriptSig = false) => toAsm(fromHex(hex), { scriptSig });

describe('pushes', () => {
  it('parse to the data they push, for every length class', () => {
    const lengths = fc.constantFrom(0, 1, 2, 75, 76, 77, 254, 255, 256, 257, 65535, 65536, 70000);
    const data = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      lengths.map((length) => new Uint8Array(length).fill(7)),
    );
    fc.assert(
      fc.property(fc.array(data, { maxLength: 4 }), (pushes) => {
        const { chunks, ok } = parseScript(concatBytes(...pushes.map(pushData)));
        expect(ok).toBe(true);
        expect(chunks.map((chunk) => chunk.data)).toStrictEqual(pushes);
      }),
      { numRuns: 60 },
    );
  });

  it('use the shortest form for the length', () => {
    const head = (length: number) =>
      toHex(pushData(new Uint8Array(length)).subarray(0, pushData(new Uint8Array(length)).length - length));
    expect([0, 1, 75, 76, 255, 256, 65535, 65536].map(head)).toStrictEqual([
      '00',
      '01',
      '4b',
      '4c4c',
      '4cff',
      '4d0001',
      '4dffff',
      '4e00000100',
    ]);
  });
});

describe('parseScript', () => {
  it('returns offsets and the operations before a malformed push', () => {
    expect(parseScript(fromHex('760102ac'))).toStrictEqual({
      ok: true,
      chunks: [
        { op: 0x76, offset: 0 },
        { op: 1, data: Uint8Array.of(2), offset: 1 },
        { op: 0xac, offset: 3 },
      ],
    });
    for (const broken of ['7602ff', '764c', '764c02ff', '764dff', '764d0200ff', '764effffff', '764effffffffff']) {
      expect(parseScript(fromHex(broken))).toStrictEqual({ ok: false, chunks: [{ op: 0x76, offset: 0 }] });
    }
  });

  it('covers any bytes without a gap and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (script) => {
        const { chunks, ok } = parseScript(script);
        chunks.forEach((chunk, i) => {
          const end = chunks[i + 1]?.offset ?? (ok ? script.length : undefined);
          const prefix = chunk.op === 0x4c ? 2 : chunk.op === 0x4d ? 3 : chunk.op === 0x4e ? 5 : 1;
          if (end !== undefined) expect(end).toBe(chunk.offset + prefix + (chunk.data?.length ?? 0));
        });
        expect(typeof toAsm(script, { scriptSig: true })).toBe('string');
        expect(typeof classifyScript(script).type).toBe('string');
      }),
      { numRuns: 300 },
    );
  });
});

describe('asm', () => {
  it('shows a P2PKH output', () => {
    expect(toAsm(p2pkhScript(keyHash(key)))).toBe(
      `OP_DUP OP_HASH160 ${toHex(keyHash(key))} OP_EQUALVERIFY OP_CHECKSIG`,
    );
  });

  it('shows pushes of up to four bytes as signed numbers, longer ones as hex', () => {
    expect(asm('00')).toBe('0');
    expect(asm('036f7264')).toBe('6582895');
    expect(asm('0181')).toBe('-1');
    expect(asm('0180')).toBe('0');
    expect(asm('04ffffffff')).toBe('-2147483647');
    expect(asm('04ffffff7f')).toBe('2147483647');
    expect(asm('0500000000ff')).toBe('00000000ff');
    expect(asm('4c0105')).toBe('5');
  });

  it('names operations, and marks a truncated push', () => {
    expect(asm('4f505160')).toBe('-1 OP_RESERVED 1 16');
    expect(asm('006a0568656c6c6f')).toBe('0 OP_RETURN 68656c6c6f');
    expect(asm('617f80819899a6afb0b1b2b3b6b9baff')).toBe(
      'OP_NOP OP_SPLIT OP_NUM2BIN OP_BIN2NUM OP_LSHIFT OP_RSHIFT OP_RIPEMD160 OP_CHECKMULTISIGVERIFY OP_NOP1 OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_SUBSTR OP_LSHIFTNUM OP_NOP10 OP_UNKNOWN OP_INVALIDOPCODE',
    );
    expect(asm('7605ff')).toBe('OP_DUP [error]');
    expect(asm('')).toBe('');
    expect([0x63, 0x68, 0x6a, 0x76, 0x87, 0x88, 0xa9, 0xac, 0xae].map(opcodeName)).toStrictEqual([
      'OP_IF',
      'OP_ENDIF',
      'OP_RETURN',
      'OP_DUP',
      'OP_EQUAL',
      'OP_EQUALVERIFY',
      'OP_HASH160',
      'OP_CHECKSIG',
      'OP_CHECKMULTISIG',
    ]);
  });

  it('decodes signatures in unlocking scripts only', () => {
    const der = '300602010102010f';
    const push = (type: string) => `09${der}${type}`;
    expect(asm(push('41'), true)).toBe(`${der}[ALL|FORKID]`);
    expect(asm(push('c3'), true)).toBe(`${der}[SINGLE|FORKID|ANYONECANPAY]`);
    expect(asm(push('02'), true)).toBe(`${der}[NONE]`);
    expect(asm(push('81'), true)).toBe(`${der}[ALL|ANYONECANPAY]`);
    expect(asm(push('41'))).toBe(`${der}41`);
    // undefined types, data after OP_RETURN, and negative or padded integers are not signatures
    for (const type of ['00', '04', '40', '61']) expect(asm(push(type), true)).toBe(`${der}${type}`);
    expect(asm(`6a${push('41')}`, true)).toBe(`OP_RETURN ${der}41`);
    for (const wrong of [
      '300602018102010f41',
      '300602010102018141',
      '310602010102010f41',
      '300702010102010f41',
      '30060201010200004141',
    ]) {
      expect(asm(toHex(pushData(fromHex(wrong))), true)).toBe(wrong);
    }
    expect(asm('0a3007020200010201ff41', true)).toBe('3007020200010201ff41');
  });

  it('prints numbers that match script arithmetic', () => {
    fc.assert(
      fc.property(fc.integer({ min: -0x7fffffff, max: 0x7fffffff }), (n) => {
        const size = Math.abs(n);
        const data = Uint8Array.of(
          size & 0xff,
          (size >> 8) & 0xff,
          (size >> 16) & 0xff,
          (size >>> 24) | (n < 0 ? 0x80 : 0),
        );
        expect(scriptNumber(data)).toBe(n);
      }),
    );
  });
});

describe('classifyScript', () => {
  const pushKey = toHex(pushData(publicKey));
  const type = (hex: string) => classifyScript(fromHex(hex)).type;

  it('recognises the standard forms and their key hashes', () => {
    expect(classifyScript(p2pkhScript(keyHash(key)))).toStrictEqual({
      type: 'pubkeyhash',
      reqSigs: 1,
      pubKeyHashes: [keyHash(key)],
    });
    expect(classifyScript(fromHex(`${pushKey}ac`))).toStrictEqual({
      type: 'pubkey',
      reqSigs: 1,
      pubKeyHashes: [hash160(publicKey)],
    });
    expect(classifyScript(fromHex(`51${pushKey}${pushKey}52ae`))).toStrictEqual({
      type: 'multisig',
      reqSigs: 1,
      pubKeyHashes: [hash160(publicKey), hash160(publicKey)],
    });
  });

  it('returns no addresses for impossible keys', () => {
    const noKey = `21${'05'.padEnd(66, '0')}`;
    expect(classifyScript(fromHex(`${noKey}ac`))).toStrictEqual({ type: 'pubkey' });
    expect(classifyScript(fromHex(`51${noKey}51ae`))).toStrictEqual({ type: 'multisig' });
    expect(classifyScript(fromHex(`51${noKey}${pushKey}52ae`)).pubKeyHashes).toStrictEqual([hash160(publicKey)]);
  });

  it('accepts multisig counts pushed as data, if they are minimal', () => {
    expect(classifyScript(fromHex(`0101${pushKey}0101ae`)).reqSigs).toBe(1);
    expect(type(`020100${pushKey}51ae`)).toBe('nonstandard');
    expect(type(`4c00${pushKey}51ae`)).toBe('nonstandard');
    expect(type(`050100000000${pushKey}51ae`)).toBe('nonstandard');
    // scripts with impossible counts stay multisig but have no addresses
    for (const odd of [`52${pushKey}51ae`, `00${pushKey}51ae`, `51${pushKey}52ae`, '5151ae']) {
      expect(classifyScript(fromHex(odd))).toStrictEqual({ type: 'multisig' });
    }
  });

  it('applies the rules after Genesis', () => {
    expect(type('006a')).toBe('nulldata');
    expect(type('006a0568656c6c6f51')).toBe('nulldata');
    expect(type('006a76')).toBe('nonstandard');
    expect(type('006a05ff')).toBe('nonstandard');
    expect(type('6a0568656c6c6f')).toBe('nonstandard');
    expect(type(`a914${'00'.repeat(20)}87`)).toBe('nonstandard');
    expect(type('')).toBe('nonstandard');
    expect(type(`76a914${'00'.repeat(20)}88ac6a`)).toBe('nonstandard');
    expect(type(`${pushKey}acac`)).toBe('nonstandard');
  });

  it('recognises data outputs by their first two operations', () => {
    expect(isDataOutput(dataScript([Uint8Array.of(1)]))).toBe(true);
    expect(isDataOutput(fromHex('6a00'))).toBe(false);
    expect(isDataOutput(fromHex('00'))).toBe(false);
  });
});
