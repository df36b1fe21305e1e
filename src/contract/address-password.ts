/** Replaces the password in an address that is displayed. */
const MASK = '•••';

/** Scheme and double slash; user; password; host and the rest. The last `@` before the path ends user and password. */
const CREDENTIAL = /^(\s*https?:\/\/)([^/?#:]*):([^/?#]*)@(.*)$/s;

/**
 * Addresses as they may be displayed: passwords in them are masked.
 * @param list one address or several, separated by commas; any other text stays as it is
 */
export function maskPasswords(list: string): string {
  return eachAddress(list, (part) => part.replace(CREDENTIAL, `$1$2:${MASK}@$4`));
}

/**
 * Restores the saved passwords of masked addresses. User, scheme, host and port must be the same, so that a password is never sent to
 * another server.
 * @param typed addresses as a person entered them
 * @param saved the addresses before {@link maskPasswords}
 * @returns undefined if a masked address matches no saved one
 */
export function unmaskPasswords(typed: string, saved: string): string | undefined {
  const passwords = new Map(
    saved.split(',').flatMap((part) => {
      const match = CREDENTIAL.exec(part);
      return match === null ? [] : [[serverOf(match), match[3] as string] as const];
    }),
  );
  let complete = true;
  const text = eachAddress(typed, (part) => {
    const match = CREDENTIAL.exec(part);
    if (match === null || (match[3] !== MASK && match[3] !== encodeURIComponent(MASK))) return part;
    const password = passwords.get(serverOf(match));
    if (password === undefined) complete = false;
    // not as a pattern of replace: a password may hold `$`
    return `${match[1]}${match[2]}:${password ?? ''}@${match[4]}`;
  });
  return complete ? text : undefined;
}

function serverOf([, scheme = '', user = '', , rest = '']: RegExpExecArray): string {
  return `${scheme.trim()}${user}@${rest.trim().split(/[/?#]/, 1)[0]}`.toLowerCase();
}

function eachAddress(list: string, change: (part: string) => string): string {
  return list.split(',').map(change).join(',');
}
