import { runCommandLine } from './command-line.ts';
import { allowClosedPipes } from './commands/shared/interruption.ts';

allowClosedPipes();
await runCommandLine(process.argv.slice(2));
