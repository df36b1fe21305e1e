import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ChainError,
  chronicleRules,
  concatBytes,
  fromHex,
  genesisRules,
  inscriptionScript,
  type JsonEnvelope,
  parseBlock,
  parseInscription,
  parseMerkleBlock,
  parseScript,
  parseTx,
  satoshis,
  serializeBlock,
  serializeTx,
  signEnvelope,
  type Tx,
  toAsm,
  verifyEnvelope,
  verifyScripts,
} from '../../../../chain/index.ts';
import { assemble, scriptCases } from '../../../../chain/test-support/script-vectors.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { faucetKey, lockingScriptOf, openTestNode, walletKey } from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';
import { coinOf, spend } from '../test-support/spend.ts';
import { GENESIS_BLOCK_HEX } from './consensus.ts';

/** Together with the 20,000 of the JSON-RPC server's own test these are the 100,000 inputs. */
const RUNS = process.env.PLANCHET_LONG ? 20_000 : 200;
/** Milliseconds of processor, a thousand times what an input takes. */
const HANG_MS = 5_000;
const TEST_MS = 600_000;

const script = lockingScriptOf(walletKey);
const tx: Tx = spend(
  [{ txid: 'ab'.repeat(32), vout: 1, satoshis: satoshis(5_000), lockingScript: script }],
  walletKey,
  [{ satoshis: 4_000, script }],
);

/** Bytes of something good with some of them changed, cut, doubled or put in. */
function mutated(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const change = fc.record({
    kind: fc.constantFrom('flip', 'set', 'cut', 'insert', 'repeat', 'length'),
    at: fc.nat(),
    byte: fc.oneof(fc.constantFrom(0, 0xfd, 0xfe, 0xff, 0x4c, 0x4d, 0x4e), fc.nat(255)),
    length: fc.nat(40),
  });
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([seed, changes]) => {
      let bytes = seed;
      for (const { kind, at, byte, length } of changes) {
        const place = bytes.length === 0 ? 0 : at % bytes.length;
        const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
        if (kind === 'flip') bytes = bytes.map((old, n) => (n === place ? old ^ (byte || 1) : old));
        else if (kind === 'set') bytes = bytes.map((old, n) => (n === place ? byte : old));
        else if (kind === 'cut') bytes = concatBytes(before, after.subarray(length));
        else if (kind === 'insert') bytes = concatBytes(before, new Uint8Array(length).fill(byte), after);
        else if (kind === 'repeat') bytes = concatBytes(before, after.subarray(0, length), after);
        else bytes = concatBytes(before, Uint8Array.of(byte, 0xff, 0xff, 0xff, 0x7f), after.subarray(1));
      }
      return bytes;
    });
}

/** Runs something that must end soon, with a value or with the project's own error. */
function defined<T>(run: () => T): T | ChainError {
  const started = process.threadCpuUsage();
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    expect(error.message.length).toBeGreaterThan(10);
    return error;
  } finally {
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(HANG_MS);
  }
}

describe('for any bytes', () => {
  it(
    'the transaction parser returns what it can serialise again, or an error',
    () => {
      fc.assert(
        fc.property(mutated([serializeTx(tx), serializeTx({ ...tx, inputs: [] })]), (bytes) => {
          const read = defined(() => parseTx(bytes));
          if (!(read instanceof ChainError)) expect(serializeTx(read)).toEqual(bytes);
        }),
        { numRuns: RUNS },
      );
    },
    TEST_MS,
  );

  it(
    'the block parsers return what they can serialise again, or an error',
    () => {
      const genesis = fromHex(GENESIS_BLOCK_HEX);
      const block = serializeBlock({ header: parseBlock(genesis).header, transactions: [tx, tx, tx] });
      fc.assert(
        fc.property(mutated([genesis, block]), (bytes) => {
          const read = defined(() => parseBlock(bytes));
          if (!(read instanceof ChainError)) expect(serializeBlock(read)).toEqual(bytes);
          defined(() => parseMerkleBlock(bytes));
        }),
        { numRuns: RUNS },
      );
    },
    TEST_MS,
  );

  it(
    'scripts are parsed, printed and run to a verdict with a reason',
    () => {
      const seeds = [
        ...scriptCases()
          .slice(0, 1_400)
          .map(({ spent }) => spent[0]?.lockingScript ?? new Uint8Array())
          .filter(({ length }) => length < 2_000),
        inscriptionScript({
          pubKeyHash: new Uint8Array(20),
          contentType: 'text/plain',
          content: new Uint8Array(600),
          map: { app: 'planchet', type: 'ord', name: 'a' },
        }),
      ];
      fc.assert(
        fc.property(mutated(seeds), fc.boolean(), (lockingScript, signed) => {
          defined(() => parseScript(lockingScript));
          defined(() => toAsm(lockingScript));
          defined(() => parseInscription(lockingScript));
          const spent = [{ txid: 'ab'.repeat(32), vout: 1, satoshis: satoshis(5_000), lockingScript }];
          const unlocking = signed ? (tx.inputs[0]?.script ?? new Uint8Array()) : assemble('1 2 3 4 5');
          const spending = { ...tx, inputs: [{ ...tx.inputs[0], script: unlocking } as Tx['inputs'][number]] };
          const verdict = defined(() => verifyScripts(spending, spent));
          if (!(verdict instanceof ChainError) && !verdict.ok) expect(verdict.reason).not.toBe('');
        }),
        { numRuns: RUNS },
      );
    },
    TEST_MS,
  );

  it(
    'envelopes are valid, unsigned or invalid',
    () => {
      const signed = signEnvelope('{"apiVersion":"1.4.0","txid":"ab","n":1}', faucetKey);
      const text = JSON.stringify(signed);
      fc.assert(
        fc.property(mutated([Buffer.from(text)]), (bytes) => {
          let envelope: unknown;
          try {
            envelope = JSON.parse(Buffer.from(bytes).toString('utf8'));
          } catch {
            return;
          }
          if (typeof envelope !== 'object' || envelope === null || Array.isArray(envelope)) return;
          const verdict = defined(() => verifyEnvelope(envelope as JsonEnvelope));
          if (verdict === 'valid') expect((envelope as JsonEnvelope).payload).toBe(signed.payload);
          else expect(verdict === 'unsigned' || verdict === 'invalid' || verdict instanceof ChainError).toBe(true);
        }),
        { numRuns: RUNS },
      );
    },
    TEST_MS,
  );

  it(
    'the node answers submissions with its codes, and its chain stays consistent',
    async () => {
      const opened = await openTestNode();
      const { node } = opened;
      const good = spend([await coinOf(node, walletKey)], walletKey, [{ satoshis: 4_999_999_000, script }]);
      const tip = await rawBlock(node.db, node.tip().hash);
      const blocks = [Uint8Array.from(tip ?? new Uint8Array())];
      await fc.assert(
        fc.asyncProperty(mutated([serializeTx(good)]), mutated(blocks), async (transaction, block) => {
          const answer = await node.submit(transaction);
          if (!answer.ok) expect([1, 16, 64, 66, 258]).toContain(answer.code);
          const result = await node.submitBlock(block);
          if (!result.ok) expect(result.reason).toMatch(/^[a-z][a-z-]+/);
        }),
        { numRuns: RUNS / 4 },
      );
      await node.mine(1);
      expect(await storedUtxoSet(node.db)).toEqual(await rebuildUtxoSet(node.db));
      await opened.remove();
    },
    TEST_MS,
  );

  it('a script that exceeds the memory limit is refused immediately', () => {
    for (const text of [
      '1 0x04 0xffffff3f NUM2BIN',
      '1 0x04 0xffffff7f NUM2BIN',
      '0x04 0xffffff3f NUM2BIN',
      '1 0x04 0xffffff7f LSHIFT',
      '1 0x04 0xffffff7f RSHIFT',
      '1 0x04 0xffffff7f LSHIFTNUM',
      '0 0x04 0xffffff7f LSHIFTNUM NOT',
      '1 0x08 0xffffffffffffff7f LSHIFTNUM',
      '1 32000000 NUM2BIN 1 32000000 NUM2BIN DUP CAT',
      `2 ${'DUP MUL '.repeat(26)} 1`,
    ]) {
      const lockingScript = assemble(text);
      const spent = [{ txid: 'ab'.repeat(32), vout: 1, satoshis: satoshis(5_000), lockingScript }];
      const spending = { ...tx, inputs: [{ ...tx.inputs[0], script: Uint8Array.of(0x57) } as Tx['inputs'][number]] };
      // a product of eight million bytes is a number since Chronicle
      const rules = text.includes('MUL') ? genesisRules : chronicleRules;
      expect(
        defined(() => verifyScripts(spending, spent, undefined, rules)),
        text,
      ).toMatchObject({ ok: false });
    }
  });
});
