import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { helpText } from './help.ts';
import {
  cachePolicyOf,
  contentRuleOf,
  findMethod,
  listMethods,
  methodNames,
  unknownMethodMessage,
} from './method-registry.ts';
import { refusedMethods } from './refused-methods.ts';

const gateway = join(import.meta.dirname, '..');
/** REST resources name the commands they are made of, and some commands are answered without a node: neither is a second table. */
const exempt = /^(?:methods|rest|public|test-support)\/|[.]test[.]ts$/;
const names = [...methodNames, ...Object.keys(refusedMethods)];

/** Command names in a source file as list elements, case labels or keys, which make a table of commands. */
function namesListed(source: string): string[] {
  return names.filter((name) => {
    const quoted = `['"]${name}['"]`;
    const element = `(?:^|[[,])\\s*${quoted}\\s*(?=,\\s*['"]|\\]\\s*[);,])`;
    return new RegExp(`${element}|case ${quoted}:|^\\s*${name}: |\\b(?:of|get|set) ${name}\\b\\s*:`, 'm').test(source);
  });
}

describe('the method registry', () => {
  it('is the only table of commands in the gateway', () => {
    const sources = readdirSync(gateway, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !exempt.test(relative(gateway, file).replaceAll('\\', '/')));
    expect(sources.length).toBeGreaterThan(50);
    const tables = sources.flatMap((file) => {
      const listed = namesListed(readFileSync(file, 'utf8'));
      return listed.length === 0 ? [] : [`${relative(gateway, file)}: ${listed.join(', ')}`];
    });
    expect(tables).toEqual([]);
  });

  it.each([
    ["const quick = new Set(['getblockcount', 'gettxout']);", ['getblockcount', 'gettxout']],
    ["const quick = [\n  'getblockcount',\n  'getinfo',\n];", ['getblockcount']],
    ["switch (method) {\n  case 'getblock':\n    return 1;", ['getblock']],
    ["const policies = {\n  getblock: 'content',\n};", ['getblock']],
    ["await node.call('getblockheader', [hash, false]);", []],
  ])('finds a table of commands in %j', (source, listed) => {
    expect(namesListed(source)).toEqual(expect.arrayContaining(listed));
    if (listed.length === 0) expect(namesListed(source)).toEqual([]);
  });

  it('serves the 32 commands of the specification and no command that it refuses', () => {
    expect(methodNames).toHaveLength(32);
    for (const name of Object.keys(refusedMethods)) expect(findMethod(name)).toBeUndefined();
    expect(findMethod('constructor')).toBeUndefined();
  });

  it('lists every command with its help, whose first line shows its parameters', () => {
    for (const { name, parameters } of listMethods()) {
      const [line, , summary] = helpText(name).split('\n');
      expect(helpText('').split('\n')).toContain(line);
      expect(summary).toBe(findMethod(name)?.summary);
      expect(parameters.length).toBe(findMethod(name)?.parameters.length);
    }
    expect(helpText('getchaintxstats')).toMatch(/^getchaintxstats \( nblocks "blockhash" \)\n/);
    expect(helpText('getblockbyheight')).toMatch(/^getblockbyheight height \( verbosity \)\n/);
    expect(helpText('toString')).toBe('help: unknown command: toString');
  });

  it('lists the commands that send as the gateway serves them while it does', () => {
    expect(helpText('')).not.toContain('sendrawtransactions');
    expect(helpText('sendrawtransactions')).toBe('help: unknown command: sendrawtransactions');
    const lines = helpText('', true).split('\n');
    expect(lines).toContain('sendrawtransactions [{"hex":"hexstring",...},...] ( policies )');
    expect(lines.filter((line) => line.startsWith('sendrawtransaction '))).toHaveLength(1);
    expect(helpText('sendrawtransaction', true)).toMatch(/submits it to the miners\.$/);
  });

  it('puts required parameters before optional ones, so that the help reads in the order of the call', () => {
    for (const name of methodNames) {
      const required = findMethod(name)?.parameters.map((parameter) => parameter.required) ?? [];
      expect(required, name).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    }
  });

  it('answers locally only what has one parameter and is not cached', () => {
    const local = methodNames.filter((name) => findMethod(name)?.local !== undefined);
    expect(local.length).toBeGreaterThan(0);
    for (const name of local) {
      expect(findMethod(name)?.parameters, name).toHaveLength(1);
      expect(cachePolicyOf(name), name).toBe('none');
    }
  });

  it('gives a content rule to exactly the commands whose answers are cached by content', () => {
    for (const name of methodNames) {
      expect(contentRuleOf(name) !== undefined, name).toBe(cachePolicyOf(name) === 'content');
    }
  });

  it('points refused commands that send to the merchant API', () => {
    expect(unknownMethodMessage('sendrawtransaction', 'http://127.0.0.1:9004')).toContain('http://127.0.0.1:9004/tx');
    expect(unknownMethodMessage('sendmany', '')).toContain('mapiUrl');
    expect(unknownMethodMessage('invalidateblock', '')).toBe('Method not found');
    expect(unknownMethodMessage('constructor', '')).toBe('Method not found');
  });
});
