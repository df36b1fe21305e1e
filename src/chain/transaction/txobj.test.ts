import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromHex,
  p2pkhScript,
  parseTxObj,
  satoshis,
  signP2pkhInputs,
  type Tx,
  toTxObj,
  txidOf,
  type Utxo,
} from '../index.ts';
import { key, keyHash, txInput, txOutput } from '../test-support/fixtures.ts';

const script = p2pkhScript(keyHash(key));
const funding: Utxo = { txid: 'ab'.repeat(32), vout: 3, satoshis: satoshis(1_000_000), lockingScript: script };
const tx: Tx = {
  version: 1,
  inputs: [{ txid: funding.txid, vout: 3, script: new Uint8Array(0), sequence: 0xffffffff }],
  outputs: [
    { satoshis: satoshis(1), script: fromHex('51') },
    { satoshis: satoshis(995_944), script },
  ],
  lockTime: 0,
};
const change = { script, index: 1 };
const scriptHex = '76a914751e76e8199196d454941c45d1b3a323f1433bd688ac';
const malformed = (at: string) => expect.objectContaining({ code: 'txobj-malformed', data: { at } });

describe('toTxObj', () => {
  it('has the object form of the API', () => {
    expect(toTxObj(tx, [funding], change)).toStrictEqual({
      hash: txidOf(tx),
      version: 1,
      inputs: [
        {
          prevTxId: 'ab'.repeat(32),
          outputIndex: 3,
          sequenceNumber: 4294967295,
          script: '',
          scriptString: '',
          output: { satoshis: 1_000_000, script: scriptHex },
        },
      ],
      outputs: [
        { satoshis: 1, script: '51' },
        { satoshis: 995_944, script: scriptHex },
      ],
      nLockTime: 0,
      changeScript: 'OP_DUP OP_HASH160 20 0x751e76e8199196d454941c45d1b3a323f1433bd6 OP_EQUALVERIFY OP_CHECKSIG',
      changeIndex: 1,
    });
    expect(toTxObj(tx, [funding])).not.toHaveProperty('changeIndex');
  });

  it('refuses signed inputs, spent outputs of others and missing change', () => {
    expect(() => toTxObj(signP2pkhInputs(tx, [funding], key), [funding])).toThrow(malformed('inputs'));
    expect(() => toTxObj(tx, [{ ...funding, vout: 0 }])).toThrow(expect.objectContaining({ code: 'signing-failed' }));
    for (const wrong of [
      { script, index: 0 },
      { script, index: 2 },
      { script: fromHex('51'), index: 0 },
    ]) {
      expect(() => toTxObj(tx, [funding], wrong)).toThrow(malformed('changeIndex'));
    }
  });
});

describe('parseTxObj', () => {
  it('returns the transaction and the outputs it spends, through JSON', () => {
    const unsigned = txInput.map((input) => ({ ...input, script: new Uint8Array(0) }));
    const source = fc.tuple(unsigned, txOutput);
    fc.assert(
      fc.property(fc.array(source, { maxLength: 4 }), fc.array(txOutput, { maxLength: 4 }), (sources, outputs) => {
        const spent = sources.map(([{ txid, vout }, { satoshis: value, script: lockingScript }]) => ({
          txid,
          vout,
          satoshis: value,
          lockingScript,
        }));
        const any: Tx = { version: 1, inputs: sources.map(([input]) => input), outputs, lockTime: 9 };
        const read = parseTxObj(JSON.parse(JSON.stringify(toTxObj(any, spent))));
        expect(read).toStrictEqual({ tx: any, spent, hash: txidOf(any) });
      }),
      { numRuns: 50 },
    );
    expect(parseTxObj(toTxObj(tx, [funding], change)).changeIndex).toBe(1);
  });

  it('ignores unknown keys and accepts missing optional ones', () => {
    const { hash: _hash, ...object } = { ...toTxObj(tx, [funding]), hex: '00', fee: 4055 };
    const inputs = object.inputs.map(({ script: _script, scriptString: _scriptString, ...input }) => input);
    expect(parseTxObj({ ...object, inputs })).toStrictEqual({ tx, spent: [funding] });
  });

  it('names the invalid part', () => {
    const object = toTxObj(tx, [funding], change);
    const [input] = object.inputs;
    const [output] = object.outputs;
    const withInput = (part: object) => ({ ...object, inputs: [{ ...input, ...part }] });
    const withOutput = (part: object) => ({ ...object, outputs: [output, { ...output, ...part }] });
    const wrong: [value: unknown, at: string][] = [
      [null, 'txObj'],
      [[], 'txObj'],
      ['{}', 'txObj'],
      [{ ...object, inputs: {} }, 'inputs'],
      [{ ...object, outputs: undefined }, 'outputs'],
      [{ ...object, version: '1' }, 'version'],
      [{ ...object, version: 2 ** 31 }, 'version'],
      [{ ...object, nLockTime: -1 }, 'nLockTime'],
      [{ ...object, nLockTime: undefined }, 'nLockTime'],
      [{ ...object, hash: 'AB'.repeat(32) }, 'hash'],
      [{ ...object, changeIndex: 2 }, 'changeIndex'],
      [{ ...object, changeScript: 5 }, 'changeScript'],
      [{ ...object, inputs: [5] }, 'inputs[0]'],
      [withInput({ prevTxId: 'ab' }), 'inputs[0].prevTxId'],
      [withInput({ outputIndex: 0.5 }), 'inputs[0].outputIndex'],
      [withInput({ outputIndex: 2 ** 32 }), 'inputs[0].outputIndex'],
      [withInput({ sequenceNumber: null }), 'inputs[0].sequenceNumber'],
      [withInput({ script: '51' }), 'inputs[0].script'],
      [withInput({ output: undefined }), 'inputs[0].output'],
      [withInput({ output: { satoshis: 5 } }), 'inputs[0].output.script'],
      [withOutput({ satoshis: -1 }), 'outputs[1].satoshis'],
      [withOutput({ satoshis: '1' }), 'outputs[1].satoshis'],
      [withOutput({ satoshis: 0.1 }), 'outputs[1].satoshis'],
      [withOutput({ script: '5' }), 'outputs[1].script'],
      [withOutput({ script: 'OP_TRUE' }), 'outputs[1].script'],
    ];
    for (const [value, at] of wrong) expect(() => parseTxObj(value), at).toThrow(malformed(at));
  });

  it('throws its own error for any JSON that is not a txObj', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => parseTxObj(value)).toThrow(expect.objectContaining({ code: 'txobj-malformed' }));
      }),
    );
  });
});
