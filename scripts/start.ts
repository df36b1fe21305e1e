/**
 * `npm start`: builds what is stale, which is nothing after `npm ci`, and starts the built Planchet: a third faster than its sources. It opens the desktop window if Electron and a display are available, else the same
 * application in the terminal, served to a browser. Arguments are passed on (`npm start -- --data-dir DIR`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { buildProgramIfStale } from './build.ts';
import { downloadElectron, electronBinary, hasDisplay, hasSandbox } from './electron-binary.ts';
import { launch } from './launch.ts';
import { root } from './paths.ts';

const args = process.argv.slice(2);
const terminalOnly = args.includes('--terminal');
const passed = args.filter((arg) => arg !== '--terminal');

buildProgramIfStale();

const mayOpen = !terminalOnly && hasDisplay();
const canOpen = mayOpen && hasSandbox();
if (mayOpen && !canOpen) {
  process.stderr.write(
    'Electron cannot have its sandbox here (as root, or without user namespaces), so Planchet runs in the terminal and a browser.\n',
  );
}
const electron = canOpen ? (electronBinary() ?? (await downloadElectron())) : undefined;
const child: ChildProcess = electron
  ? spawn(electron, [root, ...passed], { stdio: 'inherit' })
  : spawn(process.execPath, [...launch.nodeFlags, join(root, 'out/main/cli.js'), 'serve', ...passed], {
      stdio: 'inherit',
      env: { ...launch.env, ...process.env },
    });

// The documents and everything else not needed at the start are built meanwhile.
const rest = spawn(process.execPath, [join(root, 'scripts/build.ts')], { stdio: ['ignore', 'ignore', 'inherit'] });
// After the parts that are needed first.
if (rest.pid !== undefined) setPriority(rest.pid, constants.priority.PRIORITY_LOW);

// The child shares the terminal and receives Ctrl-C itself; a signal sent to this process only is passed on.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.once('exit', (code, signal) => {
  rest.kill();
  process.exitCode = code ?? (signal === 'SIGINT' ? 0 : 1);
});
