import { describe, expect, it } from 'vitest';
import { scriptNumber, toAsm, toHex } from '../../chain/index.ts';
import { Assembler, numberBytes } from './assembler.ts';

describe('Assembler', () => {
  it('fetches items by name with the shortest operations', () => {
    const a = new Assembler(['first', 'second', 'third', 'fourth']);
    a.copy('first').copy('fourth').take('second').take('third');
    expect(toAsm(a.bytes())).toBe('3 OP_PICK OP_OVER 4 OP_ROLL 4 OP_ROLL');
    expect(a.stack).toEqual(['first', 'fourth', 'first', 'fourth', 'second', 'third']);
    const b = new Assembler(['x', 'y', 'z']);
    b.take('z').take('y').take('x').copy('x');
    expect(toAsm(b.bytes())).toBe('OP_SWAP OP_ROT OP_DUP');
    expect(b.stack).toEqual(['z', 'y', 'x', 'x']);
  });

  it('takes arguments from below the known items', () => {
    const a = new Assembler(['known', 'more']);
    a.argument('given');
    expect(toAsm(a.bytes())).toBe('2 OP_ROLL');
    expect(a.stack).toEqual(['known', 'more', 'given']);
    expect(new Assembler([]).argument('given').bytes()).toHaveLength(0);
  });

  it('requires both branches to leave the same stack', () => {
    const a = new Assembler(['flag', 'item']);
    a.op('SWAP', 'IF', 'DUP');
    expect(() => a.op('ENDIF')).toThrow('different stacks: item | item item');
    const b = new Assembler(['flag', 'item']);
    b.op('SWAP', 'IF', 'DUP', 'ELSE').num(1).name('item').op('ENDIF');
    expect(b.stack).toEqual(['item', 'item']);
    expect(() => new Assembler([]).op('ELSE')).toThrow('ELSE without IF');
    expect(() => new Assembler(['flag']).op('IF').bytes()).toThrow('still open');
  });

  it('refuses items that are not on the stack', () => {
    expect(() => new Assembler(['one']).op('CAT')).toThrow('2 items are wanted, 1 are known');
    expect(() => new Assembler(['one']).copy('two')).toThrow('Nothing on the stack is called "two"');
  });

  it('lists the steps and their offsets', () => {
    const a = new Assembler(['x']);
    a.step('copy', 'Copies it.', () => a.op('DUP'));
    a.step('compare', 'Compares them.', () => a.op('EQUAL', 'VERIFY'));
    expect(a.steps).toEqual([
      { name: 'copy', purpose: 'Copies it.', offset: 0, length: 1 },
      { name: 'compare', purpose: 'Compares them.', offset: 1, length: 2 },
    ]);
  });

  it('writes minimal numbers', () => {
    for (const n of [0, 1, 127, 128, 255, 256, 32_767, 32_768, 8_388_607, 8_388_608])
      expect(scriptNumber(numberBytes(n))).toBe(n);
    expect(toHex(numberBytes(21e14))).toBe('0040075af07507');
    expect(toAsm(new Assembler([]).num(0).num(16).num(17).num(128).bytes())).toBe('0 16 17 128');
  });
});
