import { broadcastMethods } from './broadcast-methods.ts';
import type { MethodHelp, Parameter } from './method-row.ts';
import { refusedMethods } from './refused-methods.ts';
import { servedMethods } from './served-methods.ts';

/** Every command that the gateway or the sandbox's node serves, sorted by name. */
const commands: readonly (readonly [string, MethodHelp])[] = [
  ...Object.entries(servedMethods),
  ...Object.entries(refusedMethods).flatMap(([name, { help }]) => (help ? [[name, help] as const] : [])),
].sort(([a], [b]) => (a < b ? -1 : 1));
const byName = new Map(commands);
/** The same while the gateway sends. */
const withBroadcast = [...new Map<string, MethodHelp>([...commands, ...broadcastMethods])].sort(([a], [b]) =>
  a < b ? -1 : 1,
);

/** The parameters of a command that the gateway or the sandbox's node serves, in their order. @param command one that is listed */
export function parametersIn(command: string): readonly Parameter[] {
  return (byName.get(command) as MethodHelp).parameters;
}

/** How many parameters a command takes; it may ignore the last ones. @param command one that is listed */
export function mostParametersOf(command: string): number {
  const { parameters, taken } = byName.get(command) as MethodHelp;
  return taken ?? parameters.length;
}

/** The help of one command, which is also the node's error for a wrong number of parameters. @param command one that is listed */
export function helpOf(command: string): string {
  const help = byName.get(command) as MethodHelp;
  return `${firstLine(command, help)}\n\n${help.summary}\n`;
}

/**
 * The result of `help`.
 * @param command a command's name; empty for the list of all
 * @param broadcasts whether the commands that send are served as well
 */
export function helpText(command: string, broadcasts = false): string {
  const sending = broadcasts ? broadcastMethods.get(command) : undefined;
  if (sending !== undefined) return `${firstLine(command, sending)}\n\n${sending.summary}`;
  if (command === '') return overview(broadcasts ? withBroadcast : commands);
  return byName.has(command) ? helpOf(command).trimEnd() : `help: unknown command: ${command}`;
}

function overview(commands: readonly (readonly [string, MethodHelp])[]): string {
  const categories = [...new Set(commands.map(([, { category }]) => category))].sort();
  const sections = categories.map((category) => {
    const lines = commands
      .filter(([, help]) => help.category === category)
      .map(([name, help]) => firstLine(name, help));
    return `== ${category} ==\n${lines.join('\n')}`;
  });
  return sections.join('\n\n');
}

/** E.g. `getblock "blockhash" ( verbosity )`: optional parameters come last, in parentheses. */
function firstLine(command: string, { parameters }: MethodHelp): string {
  const required = parameters.filter((parameter) => parameter.required).map(({ usage }) => usage);
  const rest = parameters.filter((parameter) => !parameter.required).map(({ usage }) => usage);
  return [command, ...required, ...(rest.length > 0 ? ['(', ...rest, ')'] : [])].join(' ');
}
