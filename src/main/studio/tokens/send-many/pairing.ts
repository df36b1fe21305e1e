import {
  type AddressNotes,
  type Failure,
  type Phrase,
  phrase,
  phraseText,
  type SendManyList,
  type SendManyProblem,
  type SendManyRow,
  type TokenCard,
} from '../../../../contract/index.ts';
import { plain, type RecipientList } from './recipient-list.ts';

/** What the wallet knows of receivers. */
export interface Recipients {
  /** Why nothing can be sent there; null where it can. `own` is an address of this wallet. */
  check(address: string): { readonly failure: Failure | null; readonly own: boolean };
  notesOf(address: string): AddressNotes;
  /** The address of the contact with this name. */
  named(name: string): string | undefined;
}

export type Held = Pick<TokenCard, 'outpoint' | 'origin' | 'name' | 'number'>;

type Found = { readonly token: Held } | { readonly problem: Phrase };

const told = (severity: SendManyProblem['severity'], sentence: Phrase): SendManyProblem => ({
  severity,
  text: phraseText(sentence),
  phrase: sentence,
  failure: null,
});

/** Finds tokens by what a list calls them. */
function finder(held: readonly Held[]): (name: string) => Found {
  const byPlace = new Map(held.flatMap((card) => [card.outpoint, card.origin].map((place) => [place, card] as const)));
  const byNumber = Map.groupBy(held, ({ number }) => number);
  const byName = Map.groupBy(held, ({ name }) => plain(name));
  return (name) => {
    const place = name.toLowerCase().replace(/^([0-9a-f]{64})[:._](\d+)$/, '$1_$2');
    const exact = byPlace.get(place);
    if (exact !== undefined) return { token: exact };
    const digits = /^#?\s*(\d{1,9})$/.exec(name)?.[1];
    const found = byName.get(plain(name)) ?? (digits === undefined ? [] : (byNumber.get(Number(digits)) ?? []));
    const [token, other] = found;
    if (token === undefined) return { problem: phrase('send-many.token-unknown', { token: name }) };
    if (other !== undefined)
      return { problem: phrase('send-many.token-several', { token: name, count: found.length }) };
    return { token };
  };
}

/**
 * Pairs each line of a list with a token and reports its problems. Each token is paired once.
 * @param chosen the tokens that a person chose, in their order; none where the list names them, of all that are held
 */
export function pairRecipients(
  { lines, namesTokens }: RecipientList,
  { chosen, held, recipients }: { chosen: readonly Held[]; held: readonly Held[]; recipients: Recipients },
): SendManyList {
  const find = finder(chosen.length > 0 ? chosen : held);
  const isNamed = lines.some(
    ({ token }) => token !== '' && (namesTokens || chosen.length === 0 || 'token' in find(token)),
  );
  const pairedBy = isNamed ? 'token' : 'order';
  const given = new Map<string, number>();
  const lineOfAddress = new Map<string, number>();
  const rows = lines.map(({ line, address: written, token: named }, index): SendManyRow => {
    const problems: SendManyProblem[] = [];
    const at = line ?? index + 1;
    const checked = recipients.check(written);
    // A valid address is never taken as the name of a contact.
    const address = checked.failure === null ? written : (recipients.named(written) ?? written);
    const { failure, own } = address === written ? checked : recipients.check(address);
    const notes = failure === null ? recipients.notesOf(address) : { contact: null, resembles: null };
    if (written === '') problems.push(told('error', phrase('send-many.address-missing')));
    else if (failure !== null) problems.push({ severity: 'error', text: failure.message, phrase: null, failure });
    else {
      const first = lineOfAddress.get(address);
      if (first === undefined) lineOfAddress.set(address, at);
      else problems.push(told('warning', phrase('send-many.address-twice', { line: first })));
      if (own) problems.push(told('warning', phrase('send-many.address-own')));
      if (notes.resembles !== null) {
        const { address: other, name } = notes.resembles;
        problems.push(
          told(
            'warning',
            name === null
              ? phrase('send-many.look-alike', { other })
              : phrase('send-many.look-alike-contact', { other, name }),
          ),
        );
      }
    }
    let token: Held | undefined;
    if (pairedBy === 'order') {
      token = chosen[index];
      if (token === undefined)
        problems.push(
          told('error', chosen.length === 0 ? phrase('send-many.no-tokens') : phrase('send-many.no-token-left')),
        );
    } else if (named === '') problems.push(told('error', phrase('send-many.token-missing')));
    else {
      const found = find(named);
      if ('problem' in found) problems.push(told('error', found.problem));
      else token = found.token;
    }
    if (token !== undefined) {
      const first = given.get(token.outpoint);
      if (first === undefined) given.set(token.outpoint, at);
      else {
        problems.push(told('error', phrase('send-many.token-twice', { line: first })));
        token = undefined;
      }
    }
    return {
      line,
      address,
      ...notes,
      token: token === undefined ? null : { outpoint: token.outpoint, name: token.name, number: token.number },
      problems,
    };
  });
  return { rows, left: chosen.flatMap(({ outpoint }) => (given.has(outpoint) ? [] : [outpoint])), pairedBy };
}
