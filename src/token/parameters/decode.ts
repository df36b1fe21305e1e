import { readTemplates } from '../covenant/read-template.ts';
import { KNOWN_TEMPLATES, type TokenFields, type TokenTemplate } from '../covenant/template.ts';
import { guarded, requireScript } from '../values/values.ts';
import type { ScriptLike } from './params.ts';

/** A token script, read. */
export interface DecodedToken extends TokenFields {
  readonly template: TokenTemplate;
}

/**
 * What a locking script says where it is a token; undefined for any other script. That a script is a token's does not mean that the
 * issuer made it: anybody can write one. `traceToken` tells.
 * @throws TokenError `parameter-missing`, `parameter-invalid` for what is no script
 * @param templates to compare with: this project's, newest first, where absent.
 * @example decodeToken(utxo.lockingScript)?.symbol
 */
export function decodeToken(
  lockingScript: ScriptLike,
  templates: readonly TokenTemplate[] = KNOWN_TEMPLATES,
): DecodedToken | undefined {
  const script = requireScript(lockingScript, 'lockingScript');
  return guarded('templates', () => {
    const known = templates === KNOWN_TEMPLATES ? templates : readTemplates(templates, 'templates');
    for (const template of known) {
      const fields = template.decode(script);
      if (fields) return { ...fields, template };
    }
    return undefined;
  });
}

const NOBODY = new Uint8Array(20);

/** The script of a token's kind: what tokens that agree in all but the owner have in common. */
export function kindOf({ template, ...fields }: DecodedToken): Uint8Array {
  return template.lock({ ...fields, owner: NOBODY });
}
