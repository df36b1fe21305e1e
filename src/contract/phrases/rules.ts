/** What a setting may be, as it follows its name. */
export const ruleTexts = {
  'rule.number': 'must be a number from {least} to {most}',
  'rule.whole-number': 'must be a whole number from {least} to {most}',
  'rule.choice': 'must be one of {choices}',
  'rule.length': 'must have at most {most} characters',
  'rule.duration': 'must be a duration such as 10s or 1m30s, at most 596h',
  'rule.time-limit': 'must be a duration such as 10s or 1m30s, from 1ms to 596h',
  'rule.duration-or-empty': 'must be empty or a duration such as 10s or 1m30s, at most 596h',
  'rule.bind': 'must be host:port with a port up to 65535; an empty host means this machine alone',
  'rule.bind-or-empty': 'must be empty, or host:port with a port up to 65535',
  'rule.bind-or-off': 'must be empty, off, or host:port with a port up to 65535',
  'rule.zmq': 'must be tcp://host:port with a port up to 65535',
  'rule.zmq-or-empty': 'must be empty, or tcp://host:port with a port up to 65535',
  'rule.public-sources':
    'must be empty, or some of {names} with commas between, each alone or with =http(s)://…, and - before one that is not asked',
  'rule.addresses': 'must be empty, or up to 100 addresses with commas between',
  'rule.url': 'must be empty or an http(s) address',
  'rule.proxy': 'must be empty, http://HOST:PORT or socks5://HOST:PORT',
  'rule.urls':
    'must be empty or http(s) addresses separated by commas; special characters of a password are written as %XX',
  'rule.currency': 'must be empty or three capital letters such as EUR',
  'rule.token': 'must be empty or 16 to 256 letters, digits and . _ ~ + / = -',
  'rule.user-name': 'must have 1 to 128 characters and no colon',
  'rule.header-name': 'must be the name of a header: at most 64 letters, digits and hyphens',
  'rule.public-key': 'must be empty or a compressed public key: 66 hex digits',
  'rule.database': 'must be empty or postgres://…',
  'rule.own-wallet': 'must be http://localhost:<port>',
} as const;
