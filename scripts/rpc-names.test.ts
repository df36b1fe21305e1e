import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import { servedMethods } from '../src/main/gateway/methods/served-methods.ts';
import { root } from './paths.ts';

/*
 * Services and the page request chain data through the interfaces of `src/main/ports/chain-data.ts`. The commands of a node occur only where they are served, and in
 * the one adapter of a node.
 */

/** Where commands are served, simulated or sent. */
const AT_HOME = /^src\/main\/(gateway|sandbox|chain-data\/node)\//;
/** Code that sends a command chosen by a person, or that tests a node. */
const ALLOWED = new Map([
  ['src/main/merchant/submission/gateway-broadcast.ts', 'answers two commands of the gateway'],
  ['src/main/host/support/doctor.ts', 'tries the node in use'],
  ['src/renderer/components/connect-call.tsx', 'shows the first call that a program makes'],
  ['src/renderer/features/gateway/connect/connect.tsx', 'shows that call in each language'],
]);

const commands = [...Object.keys(servedMethods), 'sendrawtransaction', 'sendrawtransactions'].filter((name) =>
  /^(get|send|verify|decode)/.test(name),
);
const quoted = new RegExp(`['"](${commands.join('|')})['"]`);

it('names of RPC commands occur only in the gateway, the sandbox and the adapter of a node', () => {
  expect(commands).toContain('getrawtransaction');
  const naming = globSync('src/{main,renderer}/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !AT_HOME.test(path) && !/\.test\.tsx?$|\/test-support\//.test(path))
    .filter((path) => quoted.test(readFileSync(join(root, path), 'utf8')));
  expect(naming.sort()).toEqual([...ALLOWED.keys()].sort());
});
