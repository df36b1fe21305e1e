import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Network, networks, type ProjectPreview } from '../../../contract/index.ts';
import { projectNamed } from '../shared/project-named.ts';
import type { Shell } from '../shared/run.ts';
import { withClient } from '../shared/with-client.ts';

interface MoveOptions {
  to: Network;
  royalty: Record<string, string>;
  preview?: true;
}

/** Adds `planchet project`: taking a project to another network. */
export function addProjectCommands(program: Command, { globals, output }: Shell): void {
  const project = program.command('project').description('projects and their networks');
  project
    .command('move')
    .description('copy a project to another network: files, texts, traits, order, royalties; the one here stays')
    .argument('<name>', 'the project, by its name or id')
    .addOption(new Option('--to <network>', 'the other network').choices([...networks]).makeOptionMandatory())
    .option(
      '--royalty <old=new>',
      'the receiver that another one has there; nothing behind the = leaves it out; may be repeated',
      collectRoyalty,
      {},
    )
    .option('--preview', 'only say what differs there')
    .action(async (name: string, { to, royalty: royalties, preview: isPreview }: MoveOptions) => {
      const out = output();
      await withClient(globals(), async (client) => {
        const { uid: projectUid } = await projectNamed(client, name);
        const preview = await client.projectMoves.preview({ projectUid, to });
        if (isPreview) return out.result(preview, linesOf(preview, to).join('\n'));
        for (const line of linesOf(preview, to)) out.note(line);
        const made = await client.projectMoves.copy({ projectUid, to, royalties });
        out.result(made, `${made.projectUid}: ${made.items} drafts on the ${to} network`);
      });
    });
}

/** @throws InvalidArgumentError where nothing stands before the = */
function collectRoyalty(text: string, known: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('it has the form OLD=NEW');
  return { ...known, [text.slice(0, at)]: text.slice(at + 1) };
}

/** What is copied and what differs there, a line each. */
function linesOf({ name, items, nameTaken, royalties, miners }: ProjectPreview, to: Network): string[] {
  return [
    `${name}: ${items} items become drafts on the ${to} network`,
    ...(nameTaken ? [`  A project of this name is there already; both stay.`] : []),
    ...royalties.map((receiver) => `  ${receiver} gets a royalty here and has no address there.`),
    ...(miners.length === 0 ? ['  No miner is set there yet, so no price is known.'] : []),
    ...miners.flatMap(({ name: miner, total, transactions, problems }) => [
      ...(total === null ? [] : [`  ${miner}: ${total} satoshis for all, in ${transactions} transactions`]),
      ...problems.map(({ message }) => `  ${miner}: ${message}`),
    ]),
  ];
}
