import { readTemplates } from '../covenant/read-template.ts';
import { KNOWN_TEMPLATES, type TokenFields, type TokenTemplate } from '../covenant/template.ts';
import { guarded, requireScript } from '../values/values.ts';
import type { ScriptLike } from './params.ts';

export interface DecodedToken extends TokenFields {
  readonly template: TokenTemplate;
}

/**
 * Decodes a token's locking script; undefined for any other script. A valid script does not prove that the issuer made the token, because
 * anybody can write one: use `traceToken` for that.
 * @throws TokenError `parameter-missing`, `parameter-invalid` if it is not a script
 * @param templates to match; defaults to this project's, newest first.
 * @example decodeToken(utxo.lockingScript)?.symbol
 */
export function decodeToken(
  lockingScript: ScriptLike,
  templates: readonly TokenTemplate[] = KNOWN_TEMPLATES,
): DecodedToken | undefined {
  const script = requireScript(lockingScript);
  return guarded('templates', () => {
    const known = templates === KNOWN_TEMPLATES ? templates : readTemplates(templates);
    for (const template of known) {
      const fields = template.decode(script);
      if (fields) return { ...fields, template };
    }
    return undefined;
  });
}

const NOBODY = new Uint8Array(20);

/** The script that all tokens of a kind share: equal in everything but the owner. */
export function kindOf({ template, ...fields }: DecodedToken): Uint8Array {
  return template.lock({ ...fields, owner: NOBODY });
}
