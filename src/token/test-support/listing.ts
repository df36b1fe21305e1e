/** Generates the covenant's documentation from its code. */
import { opcodeName, parseScript, toHex } from '../../chain/index.ts';
import { type CovenantVersion, covenant } from '../covenant/covenant.ts';

function words(script: Uint8Array): string {
  const text = parseScript(script)
    .chunks.map(({ op, data }) => {
      if (data === undefined) return opcodeName(op).replace(/^OP_/, '');
      return data.length === 0 ? '0' : `<${toHex(data)}>`;
    })
    .join(' ');
  return text
    .replace(/(?:1 SPLIT ){31}/g, '(1 SPLIT)×31 ')
    .replace(/(?:SWAP CAT ){31}/g, '(SWAP CAT)×31 ')
    .replace(/(?:SWAP CAT ){30}SWAP CAT$/g, '(SWAP CAT)×31');
}

/** A table of the steps: what each one proves and its offset in the locking script. */
export function stepTable(version: CovenantVersion): string {
  const { code, steps } = covenant(version);
  const rows = steps.map(
    ({ name, purpose, offset, length }) => `| ${name} | ${25 + offset} | ${length} | ${purpose} |`,
  );
  return [
    '| step | at byte | bytes | proves |',
    '|---|---|---|---|',
    ...rows,
    `| | ${25 + code.length} | | end of the code |`,
  ].join('\n');
}

/** Every step's operations. */
export function listing(version: CovenantVersion): string {
  const { code, steps } = covenant(version);
  return steps
    .map(({ name, offset, length }) => `${name}\n${wrap(words(code.subarray(offset, offset + length)))}`)
    .join('\n\n');
}

function wrap(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line.length + word.length > 128 && line !== '') lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `  ${line}`).join('\n');
}
