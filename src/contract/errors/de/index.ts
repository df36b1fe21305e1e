import type { ErrorTexts } from '../catalogue.ts';
import type { codeTexts } from '../en/codes.ts';
import codes from './codes.json' with { type: 'json' };
import node from './node.json' with { type: 'json' };
import program from './program.json' with { type: 'json' };
import studio from './studio.json' with { type: 'json' };
import tokens from './tokens.json' with { type: 'json' };
import wallet from './wallet.json' with { type: 'json' };
import writer from './writer.json' with { type: 'json' };

/** German messages and hints, by id. What only programs and the command line meet stays in English. */
export const germanErrors: ErrorTexts = { ...node, ...program, ...studio, ...tokens, ...wallet, ...writer };

export const germanCodes: typeof codeTexts = codes;
