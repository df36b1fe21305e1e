import type { Command } from 'commander';
import { type AnswerBasis, type NodeCommand, PlanchetError } from '../../contract/index.ts';
import { listMethods } from '../gateway/methods/method-registry.ts';
import type { Shell } from './shared/run.ts';

/** What an answer rests on, in words. */
export const basisTexts: Readonly<Record<AnswerBasis, string>> = {
  proven: 'proven: by hashes, the verified headers, or nothing but the question',
  agreed: 'agreed: by the word of two operators',
  told: 'told: by the word of one operator',
};

/** Adds `planchet gateway …`: what the node endpoint answers. */
export function addGatewayCommands(program: Command, { output }: Pick<Shell, 'output'>): void {
  const gateway = program.command('gateway').description('what the node endpoint answers');
  gateway
    .command('explain')
    .argument('<method>', 'a command of a node')
    .description('what an answer rests on where no node gives it, and what it leaves out')
    .action((method: string) => {
      const found = listMethods().find(({ name }) => name === method);
      if (found === undefined) throw new PlanchetError('gateway.method-unknown', { method });
      output().result(found, explained(found));
    });
}

function explained({ name, summary, withoutNode, leftOut }: NodeCommand): string {
  return [
    `${name}: ${summary}`,
    withoutNode === 'none'
      ? 'Without a node: no answer. Only a node can tell.'
      : `Without a node: ${basisTexts[withoutNode]}.`,
    ...(leftOut.length > 0 && withoutNode !== 'none'
      ? [`Left out, because only a node can tell: ${leftOut.join(', ')}`]
      : []),
  ].join('\n');
}
