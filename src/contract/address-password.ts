/** Replaces the password in an address that is displayed. */
const KEPT = '•••';

/** Scheme and double slash; user; password; host and what follows. The last `@` before the path ends user and password. */
const CREDENTIAL = /^(\s*https?:\/\/)([^/?#:]*):([^/?#]*)@(.*)$/s;

/**
 * Addresses as they may be shown: passwords in them are covered.
 * @param list one address or several, separated by commas; any other text stays as it is
 */
export function coverPasswords(list: string): string {
  return eachAddress(list, (part) => part.replace(CREDENTIAL, `$1$2:${KEPT}@$4`));
}

/**
 * Puts saved passwords back where an address was left covered. That takes the same user at the same scheme, host and port: a password is
 * never sent to where it was not meant for.
 * @param typed addresses as a person left them
 * @param saved what {@link coverPasswords} was given
 * @returns undefined where no saved address fits
 */
export function uncoverPasswords(typed: string, saved: string): string | undefined {
  const known = new Map(
    saved.split(',').flatMap((part) => {
      const match = CREDENTIAL.exec(part);
      return match === null ? [] : [[placeOf(match), match[3] as string] as const];
    }),
  );
  let complete = true;
  const text = eachAddress(typed, (part) => {
    const match = CREDENTIAL.exec(part);
    if (match === null || (match[3] !== KEPT && match[3] !== encodeURIComponent(KEPT))) return part;
    const password = known.get(placeOf(match));
    if (password === undefined) complete = false;
    // not as a pattern of replace: a password may hold `$`
    return `${match[1]}${match[2]}:${password ?? ''}@${match[4]}`;
  });
  return complete ? text : undefined;
}

function placeOf([, scheme = '', user = '', , rest = '']: RegExpExecArray): string {
  return `${scheme.trim()}${user}@${rest.trim().split(/[/?#]/, 1)[0]}`.toLowerCase();
}

function eachAddress(list: string, change: (part: string) => string): string {
  return list.split(',').map(change).join(',');
}
