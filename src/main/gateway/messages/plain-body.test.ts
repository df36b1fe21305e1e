import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RpcBody, readBody, readRequest } from './message.ts';
import { readPlainBody } from './plain-body.ts';

const noAddress = (): string => '';

/** The result of the full parser, with every call of a batch parsed. */
function readFully(text: string): RpcBody {
  const read = readBody(Buffer.from(text, 'latin1'), { mapiUrl: noAddress, batchCalls: 1_000 });
  if ('single' in read) return read;
  return { batch: read.batch.map((one) => (typeof one === 'string' ? readRequest(one, noAddress) : one)) };
}

const methods = ['getblockcount', 'getblockheader', 'gettxout', 'getrawtransaction', 'sendrawtransaction', 'nope', ''];
const space = fc.constantFrom('', '', '', ' ', '  ', '\n', '\t');
const simple = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('true', 'false', 'null', '-0', '01', '1.0', '1e3', '-', 'tru', 'nulll', '9007199254740993', '""'),
  fc.nat().map((value) => `"${value.toString(16)}"`),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.string({ maxLength: 4, unit: 'binary' }).map((text) => `"${Buffer.from(text).toString('latin1')}"`),
  fc.json({ maxDepth: 1 }).map((text) => Buffer.from(text).toString('latin1')),
);
const params = fc
  .tuple(fc.array(simple, { maxLength: 4 }), space, space)
  .map(([values, before, after]) => `[${before}${values.join(`${after},${before}`)}${after}]`);
const member = fc.oneof(
  fc.constantFrom(...methods).map((method) => ['method', JSON.stringify(method)] as const),
  fc.tuple(fc.constantFrom('id', 'jsonrpc', 'method', 'params', 'other', 'i\\u0064'), simple),
  params.map((text) => ['params', text] as const),
);
const usual = fc
  .tuple(simple, fc.constantFrom(...methods), params, fc.constantFrom('jimp', 'mpi', 'imp', 'impi'))
  .map(([id, method, given, order]) => {
    const members = {
      j: ['jsonrpc', '"1.0"'],
      i: ['id', id],
      m: ['method', JSON.stringify(method)],
      p: ['params', given],
    } as const;
    return [...order].map((letter) => members[letter as keyof typeof members]);
  });
const call = fc
  .tuple(fc.oneof(usual, fc.array(member, { maxLength: 5 })), space, space)
  .map(
    ([members, before, after]) =>
      `{${before}${members.map(([name, value]) => `"${name}"${after}:${before}${value}`).join(`${after},${before}`)}${after}}`,
  );
const tidy = fc
  .tuple(usual, fc.constantFrom('', ' '))
  .map(([members, gap]) => `{${members.map(([name, value]) => `"${name}":${gap}${value}`).join(`,${gap}`)}}`);
const body = fc.oneof(
  tidy,
  fc.array(tidy, { maxLength: 3 }).map((calls) => `[${calls.join(',')}]`),
  fc.tuple(call, space).map(([text, after]) => `${text}${after}`),
  fc
    .tuple(fc.array(call, { maxLength: 4 }), space)
    .map(([calls, between]) => `[${calls.join(`${between},${between}`)}]`),
);

describe('readPlainBody', () => {
  it('returns what the full parser returns, or undefined', () => {
    let read = 0;
    fc.assert(
      fc.property(body, (text) => {
        const plain = readPlainBody(text);
        if (plain === undefined) return;
        read += 1;
        expect(plain).toEqual(readFully(text));
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(15);
  });

  it('returns what the full parser returns, or undefined, for bodies with a changed byte', () => {
    const bytes = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.constantFrom('put', 'insert', 'delete'));
    fc.assert(
      fc.property(usual, bytes, (members, [where, byte, how]) => {
        const text = `{${members.map(([name, value]) => `"${name}": ${value}`).join(', ')}}`;
        const at = where % text.length;
        const put = how === 'delete' ? '' : String.fromCharCode(byte);
        const changed = text.slice(0, at) + put + text.slice(how === 'insert' ? at : at + 1);
        const plain = readPlainBody(changed);
        if (plain !== undefined) expect(plain).toEqual(readFully(changed));
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    '{"jsonrpc":"1.0","id":7,"method":"getblockcount","params":[]}',
    '{"jsonrpc": "1.0", "id": "curl text", "method": "getblockheader", "params": ["00ff", true]}',
    '{"method":"getblockhash","params":[100],"id":1}\n',
    '{"method":"getinfo","params":[]}',
    '[{"id":1,"method":"getinfo","params":[]}, {"method":"getblockcount","params":[-1,null,"x"],"id":2}]',
  ])('reads %s', (text) => {
    expect(readPlainBody(text)).toEqual(readFully(text));
  });

  it.each([
    ['a method the gateway does not have', '{"id":1,"method":"sendrawtransaction","params":["00"]}'],
    ['an escape', '{"id":"\\u0041","method":"getinfo","params":[]}'],
    ['a member given twice', '{"id":1,"id":2,"method":"getinfo","params":[]}'],
    ['an id before and after', '{"id":1,"method":"getinfo","params":[],"id":2}'],
    ['another order', '{"params":[],"method":"getinfo","id":1}'],
    ['named parameters', '{"id":1,"method":"getblockhash","params":{"height":1}}'],
    ['a fraction', '{"id":1,"method":"getblockhash","params":[1.5]}'],
    ['an empty batch', '[]'],
    ['a batch without a comma', '[{"id":1,"method":"getinfo","params":[]};{"id":2,"method":"getinfo","params":[]}]'],
    ['a text that goes on', '{"id":1,"method":"getinfo","params":[]} {}'],
  ])('leaves %s to the full parser', (_, text) => {
    expect(readPlainBody(text)).toBeUndefined();
  });
});
