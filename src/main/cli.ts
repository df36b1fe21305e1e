import { runCommandLine } from './command-line.ts';
import { watchOutput } from './commands/shared/interruption.ts';

const args = process.argv.slice(2);
watchOutput(args.includes('--json'));
await runCommandLine(args);
